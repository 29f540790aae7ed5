/* A backend of the Triton Inference Server in C that adds 1 to FP32 tensors: how little a backend can do for a request. The server's own
   headers do not compile as C, so that its interface is declared here as far as it is used. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

typedef struct Error Error;
typedef struct Instance Instance;
typedef struct Request Request;
typedef struct Response Response;
typedef struct Input Input;
typedef struct Output Output;

enum { TYPE_FP32 = 11, MEMORY_CPU = 0, ERROR_INTERNAL = 1, ERROR_UNSUPPORTED = 5, RELEASE_ALL = 1, COMPLETE_FINAL = 1 };

extern Error *TRITONSERVER_ErrorNew(uint32_t code, const char *message);
extern void TRITONSERVER_ErrorDelete(Error *error);
extern Error *TRITONBACKEND_RequestInputByIndex(Request *, uint32_t index, Input **);
extern Error *TRITONBACKEND_InputProperties(
    Input *, const char **name, uint32_t *type, const int64_t **shape, uint32_t *dims, uint64_t *bytes, uint32_t *buffers);
extern Error *TRITONBACKEND_InputBuffer(
    Input *, uint32_t index, const void **buffer, uint64_t *bytes, uint32_t *memory, int64_t *id);
extern Error *TRITONBACKEND_ResponseNew(Response **, Request *);
extern Error *TRITONBACKEND_ResponseOutput(
    Response *, Output **, const char *name, uint32_t type, const int64_t *shape, uint32_t dims);
extern Error *TRITONBACKEND_OutputBuffer(Output *, void **buffer, uint64_t bytes, uint32_t *memory, int64_t *id);
extern Error *TRITONBACKEND_ResponseSend(Response *, uint32_t flags, Error *);
extern Error *TRITONBACKEND_RequestRelease(Request *, uint32_t flags);
extern Error *TRITONBACKEND_ModelInstanceReportStatistics(
    Instance *, Request *, bool success, uint64_t start, uint64_t compute_start, uint64_t compute_end, uint64_t end);
extern Error *TRITONBACKEND_ModelInstanceReportBatchStatistics(
    Instance *, uint64_t batch, uint64_t start, uint64_t compute_start, uint64_t compute_end, uint64_t end);

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Fills the response; an error leaves it to be sent without outputs. */
static Error *add_one(Request *request, Response *response, uint64_t *rows) {
  Input *input;
  Error *error = TRITONBACKEND_RequestInputByIndex(request, 0, &input);
  if (error) return error;
  uint32_t type, dims, buffers, memory = MEMORY_CPU;
  const int64_t *shape;
  uint64_t bytes;
  error = TRITONBACKEND_InputProperties(input, NULL, &type, &shape, &dims, &bytes, &buffers);
  if (error) return error;
  if (type != TYPE_FP32 || dims == 0) return TRITONSERVER_ErrorNew(ERROR_UNSUPPORTED, "only FP32 with a batch");
  Output *output;
  error = TRITONBACKEND_ResponseOutput(response, &output, "OUTPUT0", type, shape, dims);
  if (error) return error;
  void *to;
  int64_t id = 0;
  error = TRITONBACKEND_OutputBuffer(output, &to, bytes, &memory, &id);
  if (error) return error;
  if (memory != MEMORY_CPU) return TRITONSERVER_ErrorNew(ERROR_UNSUPPORTED, "only memory of the CPU");
  float *sums = to;
  for (uint32_t k = 0; k < buffers; k++) {
    const void *from;
    uint64_t size;
    error = TRITONBACKEND_InputBuffer(input, k, &from, &size, &memory, &id);
    if (error) return error;
    if (size % sizeof(float)) return TRITONSERVER_ErrorNew(ERROR_UNSUPPORTED, "a buffer ends within an element");
    const float *values = from;
    for (uint64_t i = 0; i < size / sizeof(float); i++) *sums++ = values[i] + 1.0f;
  }
  *rows += (uint64_t)shape[0];
  return NULL;
}

static void drop(Error *error) {
  if (error) TRITONSERVER_ErrorDelete(error);
}

Error *TRITONBACKEND_ModelInstanceExecute(Instance *instance, Request **requests, uint32_t count) {
  uint64_t start = now(), rows = 0, end = start;
  for (uint32_t k = 0; k < count; k++) {
    Response *response = NULL;
    Error *error = TRITONBACKEND_ResponseNew(&response, requests[k]);
    if (!error) error = add_one(requests[k], response, &rows);
    end = now();
    if (response) drop(TRITONBACKEND_ResponseSend(response, COMPLETE_FINAL, error));
    drop(TRITONBACKEND_ModelInstanceReportStatistics(instance, requests[k], !error, start, start, end, end));
    drop(error);
    drop(TRITONBACKEND_RequestRelease(requests[k], RELEASE_ALL));
  }
  if (rows) drop(TRITONBACKEND_ModelInstanceReportBatchStatistics(instance, rows, start, start, end, end));
  return NULL;
}
