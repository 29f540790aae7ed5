// A mock of Metal and of what it needs of Foundation, on GCC's Objective-C runtime: the classes and methods that
// `apple::framework` calls. Buffers, libraries and dispatches are those of the emulator, which `src/mock.rs` offers as
// functions of C. What a program must not rely on is made visible: objects without an owner are freed at once, a
// message to one of them stops the process, and dispatches between two barriers run in reverse.

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct objc_class *Class;
typedef struct objc_object { Class isa; } *id;
typedef struct objc_selector *SEL;
typedef unsigned char BOOL;
typedef unsigned long NSUInteger;
typedef long NSInteger;
typedef struct { NSInteger major, minor, patch; } NSOperatingSystemVersion;
typedef struct { NSUInteger width, height, depth; } MTLSize;
#define nil ((id)0)

id class_createInstance(Class, size_t);
id object_dispose(id);
const char *class_getName(Class);
BOOL class_respondsToSelector(Class, SEL);

enum { TEXT = 4096 };

// The emulator's side, in `src/mock.rs`.
typedef struct { uint32_t slot; bool writes; char name[64]; } mock_parameter;
typedef struct { uint32_t index, type; bool used; char name[64]; } mock_constant;
typedef struct { uint32_t index, type; uint8_t bytes[4]; } mock_value;
typedef struct { uint32_t threads, threadgroup_bytes, width; } mock_info;
typedef struct { NSUInteger slot; void *buffer; NSUInteger offset; const void *bytes; NSUInteger length; } mock_binding;
typedef struct {
    void *pipeline;
    MTLSize groups, threads;
    const mock_binding *bindings;
    NSUInteger count;
    const NSUInteger *threadgroup; // a length for each index
    void *const *resident;
    NSUInteger residents;
    bool of_threads; // `groups` are threads
} mock_dispatch;
extern void *mock_buffer(NSUInteger bytes);
extern void *mock_wrap(void *start, NSUInteger bytes);
extern void *mock_contents(void *buffer);
extern void mock_buffer_free(void *buffer);
extern void *mock_library(const char *text, NSUInteger version, NSInteger math, char *error);
extern bool mock_kernel(void *library, NSUInteger i, char *name);
extern bool mock_library_constant(void *library, NSUInteger i, mock_constant *constant);
extern void mock_library_free(void *library);
extern void *mock_pipeline(void *library, const char *name, const mock_value *values, NSUInteger count, mock_info *info, char *error);
extern bool mock_pipeline_parameter(void *pipeline, NSUInteger i, mock_parameter *parameter);
extern void mock_pipeline_free(void *pipeline);
extern bool mock_run(const mock_dispatch *dispatch, char *error);

// What the tests choose and see.
_Atomic long mock_objects;           // that live
_Atomic long mock_blocks;            // that were copied and live
_Atomic long mock_leaks;             // autoreleased without a pool
_Atomic long mock_barriers;          // encoded
_Atomic long mock_resident;          // allocations in residency sets
_Atomic long mock_archive_hits;      // pipelines made from an archive
long mock_system = 15;               // version of macOS
long mock_gpu_family = 1007;         // the newest that the GPU supports
bool mock_no_device;
bool mock_no_memory;

static void stop(const char *what, id object) {
    fprintf(stderr, "mock of Metal: %s (%p)\n", what, (void *)object);
    abort();
}

// Objects and their owners.
__attribute__((objc_root_class))
@interface NSObject { @public Class isa; _Atomic long owners; }
+ (id)alloc;
+ (id)new;
+ (id)class;
- (id)init;
- (id)retain;
- (void)release;
- (id)autorelease;
- (void)dealloc;
- (BOOL)respondsToSelector:(SEL)selector;
@end

static _Thread_local struct pool { struct pool *outer; size_t count; id objects[1024]; } *innermost;

void *objc_autoreleasePoolPush(void) {
    struct pool *pool = calloc(1, sizeof *pool);
    pool->outer = innermost;
    return innermost = pool;
}

void objc_autoreleasePoolPop(void *token) {
    struct pool *pool = token;
    if (pool != innermost) stop("pools are popped out of order", nil);
    while (pool->count) [(NSObject *)pool->objects[--pool->count] release];
    innermost = pool->outer;
    free(pool);
}

@implementation NSObject
+ (id)alloc {
    NSObject *object = (NSObject *)class_createInstance((Class)self, 0);
    object->owners = 1;
    mock_objects++;
    return (id)object;
}
+ (id)new { return [[self alloc] init]; }
+ (id)class { return (id)self; }
- (id)init { return (id)self; }
- (id)retain {
    if (owners++ < 1) stop("a freed object is retained", (id)self);
    return (id)self;
}
- (void)release {
    long left = --owners;
    if (left < 0) stop("a freed object is released", (id)self);
    if (left == 0) { mock_objects--; [self dealloc]; }
}
- (id)autorelease {
    if (!innermost) { mock_leaks++; return (id)self; }
    if (innermost->count == 1024) stop("a pool is full", (id)self);
    return innermost->objects[innermost->count++] = (id)self;
}
// The memory stays, so that a later message is noticed.
- (void)dealloc { }
- (BOOL)respondsToSelector:(SEL)selector { return class_respondsToSelector(isa, selector); }
@end

id objc_retain(id object) { return object ? [(NSObject *)object retain] : nil; }
void objc_release(id object) { if (object) [(NSObject *)object release]; }
id objc_autorelease(id object) { return object ? [(NSObject *)object autorelease] : nil; }
id objc_retainAutoreleasedReturnValue(id object) { return objc_retain(object); }
id objc_retainAutorelease(id object) { return objc_autorelease(objc_retain(object)); }
id objc_autoreleaseReturnValue(id object) { return objc_autorelease(object); }
Class object_getClass(id object) { return object ? object->isa : 0; }

// Blocks, as the ABI of clang has them.
struct descriptor { unsigned long reserved, size; void (*copy)(void *, const void *); void (*dispose)(const void *); };
struct block { const void *isa; _Atomic int flags; int reserved; void (*invoke)(void); struct descriptor *descriptor; };
enum { HAS_HELPERS = 1 << 25, IS_GLOBAL = 1 << 28, IS_HEAP = 1 << 24, COUNT = 0xffff };
const void *_NSConcreteGlobalBlock[32], *_NSConcreteStackBlock[32];
static const void *heap_block[32];

void *_Block_copy(const void *given) {
    struct block *block = (struct block *)given;
    if (!block || block->flags & IS_GLOBAL) return block;
    if (block->flags & IS_HEAP) { block->flags++; return block; }
    struct block *copy = malloc(block->descriptor->size);
    memcpy(copy, block, block->descriptor->size);
    copy->isa = heap_block;
    copy->flags = (block->flags & ~COUNT) | IS_HEAP | 1;
    if (block->flags & HAS_HELPERS) block->descriptor->copy(copy, block);
    mock_blocks++;
    return copy;
}

void _Block_release(const void *given) {
    struct block *block = (struct block *)given;
    if (!block || !(block->flags & IS_HEAP)) return;
    int left = --block->flags & COUNT;
    if (left == COUNT) stop("a freed block is released", nil);
    if (left) return;
    if (block->flags & HAS_HELPERS) block->descriptor->dispose(block);
    free(block);
    mock_blocks--;
}

// Foundation.
@interface NSString : NSObject { @public char *text; }
@end
static NSString *string(const char *text) {
    NSString *made = [NSString new];
    made->text = strdup(text);
    return (NSString *)[made autorelease];
}
@implementation NSString
- (id)initWithBytes:(const void *)bytes length:(NSUInteger)length encoding:(int)encoding {
    text = strndup(bytes, length);
    return (id)self;
}
- (const char *)UTF8String { return text; }
- (NSUInteger)lengthOfBytesUsingEncoding:(int)encoding { return strlen(text); }
- (void)dealloc { free(text); [super dealloc]; }
@end
static NSString *keep(NSString *old, NSString *given) {
    [given retain];
    [old release];
    return given;
}

NSString *NSLocalizedDescriptionKey;

typedef struct { unsigned long state; id *items; unsigned long *mutations; unsigned long extra[5]; } NSFastEnumerationState;
@interface NSArray : NSObject { @public NSUInteger count; id *items; unsigned long mutations; }
@end
@implementation NSArray
- (id)initWithObjects:(const id *)objects count:(NSUInteger)n {
    count = n;
    items = calloc(n + 1, sizeof *items);
    for (NSUInteger i = 0; i < n; i++) items[i] = objc_retain(objects[i]);
    return (id)self;
}
- (NSUInteger)count { return count; }
- (id)objectAtIndex:(NSUInteger)i { return items[i]; }
- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state objects:(id *)buffer count:(NSUInteger)room {
    if (state->state) return 0;
    state->state = 1;
    state->items = items;
    state->mutations = &mutations;
    return count;
}
- (void)dealloc {
    for (NSUInteger i = 0; i < count; i++) [(NSObject *)items[i] release];
    free(items);
    [super dealloc];
}
@end
static NSArray *array(id *items, NSUInteger n) {
    NSArray *made = (NSArray *)[[NSArray alloc] initWithObjects:items count:n];
    return (NSArray *)[made autorelease];
}

@interface NSDictionary : NSObject { @public NSArray *values; }
@end
@implementation NSDictionary
- (NSUInteger)count { return values->count; }
- (NSArray *)allValues { return (NSArray *)[[values retain] autorelease]; }
- (void)dealloc { [values release]; [super dealloc]; }
@end

@interface NSError : NSObject { @public NSInteger code; char message[TEXT]; }
@end
@implementation NSError
- (NSInteger)code { return code; }
- (NSString *)localizedDescription { return string(message); }
@end
static id fail(NSError **error, NSInteger code, const char *message) {
    NSError *made = [NSError new];
    made->code = code;
    snprintf(made->message, TEXT, "%s", message);
    *error = (NSError *)[made autorelease];
    return nil;
}

@interface NSURL : NSObject { @public NSString *path; }
@end
@implementation NSURL
+ (id)fileURLWithPath:(NSString *)path {
    NSURL *made = [NSURL new];
    made->path = (NSString *)[path retain];
    return [made autorelease];
}
- (void)dealloc { [path release]; [super dealloc]; }
@end

@interface NSProcessInfo : NSObject
@end
@implementation NSProcessInfo
+ (id)processInfo { return [[self new] autorelease]; }
- (BOOL)isOperatingSystemAtLeastVersion:(NSOperatingSystemVersion)version { return mock_system >= version.major; }
- (NSString *)operatingSystemVersionString { return string("Version 15.0 (Build mock)"); }
@end

// Descriptors.
@interface MTLCompileOptions : NSObject { @public NSUInteger version; NSInteger mathMode, functions; BOOL fast; }
@end
@implementation MTLCompileOptions
- (void)setLanguageVersion:(NSUInteger)given { version = given; }
- (void)setMathMode:(NSInteger)mode { mathMode = mode; }
- (void)setMathFloatingPointFunctions:(NSInteger)given { functions = given; }
- (void)setFastMathEnabled:(BOOL)given { fast = given; mathMode = given ? 2 : 0; }
@end

@interface MTLFunctionConstantValues : NSObject { @public mock_value values[64]; NSUInteger count; }
@end
@implementation MTLFunctionConstantValues
- (void)setConstantValue:(const void *)value type:(NSUInteger)type atIndex:(NSUInteger)index {
    mock_value *made = &values[count++];
    made->index = index;
    made->type = type;
    memcpy(made->bytes, value, type == 53 ? 1 : type == 37 || type == 41 ? 2 : 4);
}
@end

@interface MTLFunctionConstant : NSObject { @public mock_constant known; }
@end
@implementation MTLFunctionConstant
- (NSString *)name { return string(known.name); }
- (NSUInteger)type { return known.type; }
- (NSUInteger)index { return known.index; }
- (BOOL)required { return known.used; }
@end

@interface MockLibrary : NSObject { @public void *library; NSString *label; }
@end
@interface MockFunction : NSObject { @public MockLibrary *library; NSString *name; MTLFunctionConstantValues *values; }
@end
@implementation MockFunction
- (NSDictionary *)functionConstantsDictionary {
    id found[64];
    NSUInteger n = 0;
    mock_constant known;
    while (mock_library_constant(library->library, n, &known)) {
        MTLFunctionConstant *constant = [MTLFunctionConstant new];
        constant->known = known;
        found[n++] = (id)constant;
    }
    NSDictionary *made = [NSDictionary new];
    made->values = (NSArray *)[[NSArray alloc] initWithObjects:found count:n];
    for (NSUInteger i = 0; i < n; i++) [(NSObject *)found[i] release];
    return (NSDictionary *)[made autorelease];
}
- (void)dealloc { [library release]; [name release]; [values release]; [super dealloc]; }
@end
@implementation MockLibrary
- (NSArray *)functionNames {
    id names[64];
    NSUInteger n = 0;
    char name[TEXT];
    while (mock_kernel(library, n, name)) names[n++] = (id)string(name);
    return array(names, n);
}
- (id)function:(NSString *)name values:(MTLFunctionConstantValues *)values {
    char known[TEXT];
    for (NSUInteger i = 0; mock_kernel(library, i, known); i++) {
        if (strcmp(known, name->text)) continue;
        MockFunction *made = [MockFunction new];
        made->library = (MockLibrary *)[self retain];
        made->name = keep(0, name);
        made->values = (MTLFunctionConstantValues *)[values retain];
        return (id)made;
    }
    return nil;
}
- (id)newFunctionWithName:(NSString *)name { return [self function:name values:0]; }
- (id)newFunctionWithName:(NSString *)name constantValues:(MTLFunctionConstantValues *)values error:(NSError **)error {
    id made = [self function:name values:values];
    return made ? made : fail(error, 5, "there is no such function");
}
- (void)dealloc { mock_library_free(library); [label release]; [super dealloc]; }
@end

@interface MTLComputePipelineDescriptor : NSObject { @public NSString *label; MockFunction *function; NSArray *archives; }
@end
@implementation MTLComputePipelineDescriptor
- (void)setLabel:(NSString *)given { label = keep(label, given); }
- (void)setComputeFunction:(MockFunction *)given { [given retain]; [function release]; function = given; }
- (void)setBinaryArchives:(NSArray *)given { [given retain]; [archives release]; archives = given; }
- (void)dealloc { [label release]; [function release]; [archives release]; [super dealloc]; }
@end

@interface MockBinding : NSObject { @public mock_parameter parameter; }
@end
@implementation MockBinding
- (NSString *)name { return string(parameter.name); }
- (NSInteger)type { return 0; }
- (NSUInteger)access { return parameter.writes ? 1 : 0; }
- (NSUInteger)index { return parameter.slot; }
- (BOOL)isUsed { return 1; }
@end

@interface MTLComputePipelineReflection : NSObject { @public NSArray *bindings; }
@end
@implementation MTLComputePipelineReflection
- (NSArray *)bindings { return (NSArray *)[[bindings retain] autorelease]; }
- (void)dealloc { [bindings release]; [super dealloc]; }
@end

@interface MockPipeline : NSObject { @public void *pipeline; mock_info info; }
@end
@implementation MockPipeline
- (NSUInteger)maxTotalThreadsPerThreadgroup { return info.threads; }
- (NSUInteger)threadExecutionWidth { return info.width; }
- (NSUInteger)staticThreadgroupMemoryLength { return info.threadgroup_bytes; }
- (void)dealloc { mock_pipeline_free(pipeline); [super dealloc]; }
@end

// An archive is a file with the kernel's name.
@interface MTLBinaryArchiveDescriptor : NSObject { @public NSURL *url; }
@end
@implementation MTLBinaryArchiveDescriptor
- (void)setUrl:(NSURL *)given { [given retain]; [url release]; url = given; }
- (void)dealloc { [url release]; [super dealloc]; }
@end
@interface MockArchive : NSObject { @public char kernel[256]; }
@end
@implementation MockArchive
- (BOOL)addComputePipelineFunctionsWithDescriptor:(MTLComputePipelineDescriptor *)descriptor error:(NSError **)error {
    snprintf(kernel, sizeof kernel, "%s", descriptor->function->name->text);
    return 1;
}
- (BOOL)serializeToURL:(NSURL *)url error:(NSError **)error {
    FILE *file = fopen(url->path->text, "w");
    if (!file) { fail(error, 1, "the file cannot be written"); return 0; }
    fputs(kernel, file);
    fclose(file);
    return 1;
}
@end

// Buffers.
typedef void (^Deallocator)(void *, NSUInteger);
@interface MockBuffer : NSObject { @public id device; void *buffer; NSUInteger length; Deallocator deallocator; NSString *label; }
@end
@implementation MockBuffer
- (NSUInteger)length { return length; }
- (NSUInteger)storageMode { return 0; }
- (id)device { return [[device retain] autorelease]; }
- (void *)contents { return mock_contents(buffer); }
- (uint64_t)gpuAddress { return (uint64_t)mock_contents(buffer); }
- (void)setLabel:(NSString *)given { label = keep(label, given); }
- (void)dealloc {
    void *start = mock_contents(buffer);
    mock_buffer_free(buffer);
    if (deallocator) { deallocator(start, length); _Block_release(deallocator); }
    [label release];
    [super dealloc];
}
@end

@interface MTLResidencySetDescriptor : NSObject
@end
@implementation MTLResidencySetDescriptor
@end
@interface MockResidencySet : NSObject
@end
@implementation MockResidencySet
- (void)addAllocation:(NSObject *)allocation { [allocation retain]; mock_resident++; }
- (void)removeAllocation:(NSObject *)allocation { [allocation release]; mock_resident--; }
- (void)commit { }
@end

// Command buffers.
enum { SLOTS = 31, MOST = 64 };
typedef struct {
    MockPipeline *pipeline;
    MTLSize groups, threads;
    mock_binding bindings[SLOTS];
    NSUInteger count, threadgroup[SLOTS], residents;
    void *resident[MOST];
    bool barrier, of_threads;
} Command;

@interface MockCommandBuffer : NSObject { @public
    NSString *label;
    Command *commands;
    NSUInteger count, heldCount, copyCount;
    NSObject *held[MOST * SLOTS];
    void *copies[MOST * SLOTS]; // of inline bytes
    void (^handlers[4])(id);
    NSUInteger handlerCount, status;
    NSError *error;
    bool open, hasPrevious;
    pthread_t previous;
    double start, end;
}
@end

@interface MockEncoder : NSObject { @public MockCommandBuffer *buffer; Command next; bool ended; }
@end
@implementation MockEncoder
- (void)hold:(NSObject *)object { buffer->held[buffer->heldCount++] = (NSObject *)[object retain]; }
- (void)setComputePipelineState:(MockPipeline *)pipeline { [self hold:pipeline]; next.pipeline = pipeline; }
- (mock_binding *)slot:(NSUInteger)slot {
    if (slot >= SLOTS) stop("a slot does not exist", (id)self);
    for (NSUInteger i = 0; i < next.count; i++) if (next.bindings[i].slot == slot) return &next.bindings[i];
    return &next.bindings[next.count++];
}
- (void)setBuffer:(MockBuffer *)given offset:(NSUInteger)offset atIndex:(NSUInteger)slot {
    [self hold:given];
    *[self slot:slot] = (mock_binding){slot, given->buffer, offset, 0, 0};
}
- (void)setBytes:(const void *)bytes length:(NSUInteger)length atIndex:(NSUInteger)slot {
    void *copy = malloc(length);
    memcpy(copy, bytes, length);
    buffer->copies[buffer->copyCount++] = copy;
    *[self slot:slot] = (mock_binding){slot, 0, 0, copy, length};
}
- (void)setThreadgroupMemoryLength:(NSUInteger)length atIndex:(NSUInteger)index { next.threadgroup[index] = length; }
- (void)useResource:(MockBuffer *)given usage:(NSUInteger)usage { [self hold:given]; next.resident[next.residents++] = given->buffer; }
- (void)memoryBarrierWithScope:(NSUInteger)scope {
    if (scope != 1) stop("the scope of a barrier is not buffers", (id)self);
    mock_barriers++;
    next.barrier = true;
}
- (void)dispatchThreadgroups:(MTLSize)groups threadsPerThreadgroup:(MTLSize)threads {
    next.of_threads = false;
    [self dispatch:groups threads:threads];
}
- (void)dispatchThreads:(MTLSize)grid threadsPerThreadgroup:(MTLSize)threads {
    next.of_threads = true;
    [self dispatch:grid threads:threads];
}
- (void)dispatch:(MTLSize)groups threads:(MTLSize)threads {
    if (ended) stop("a dispatch follows the end of its encoder", (id)self);
    next.groups = groups;
    next.threads = threads;
    buffer->commands[buffer->count++] = next;
    // Arguments stay for the next dispatch, as Metal's do.
    next.barrier = false;
    next.residents = 0;
}
- (void)endEncoding { ended = true; buffer->open = false; }
- (void)dealloc {
    if (!ended) stop("an encoder is dropped before its end", (id)self);
    [buffer release];
    [super dealloc];
}
@end

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

@implementation MockCommandBuffer
- (void)setLabel:(NSString *)given { label = keep(label, given); }
- (id)computeCommandEncoderWithDispatchType:(NSUInteger)type {
    if (type != 1) stop("the encoder is not concurrent", (id)self);
    MockEncoder *made = [MockEncoder new];
    made->buffer = (MockCommandBuffer *)[self retain];
    commands = calloc(MOST, sizeof *commands);
    open = true;
    return [made autorelease];
}
- (void)addCompletedHandler:(void (^)(id))handler { handlers[handlerCount++] = _Block_copy(handler); }
- (NSUInteger)status { return status; }
- (NSError *)error { return error; }
- (double)GPUStartTime { return start; }
- (double)GPUEndTime { return end; }
- (bool)run:(const Command *)command text:(char *)text {
    const mock_dispatch dispatch = {
        command->pipeline->pipeline, command->groups, command->threads, command->bindings, command->count,
        command->threadgroup, command->resident, command->residents, command->of_threads,
    };
    return mock_run(&dispatch, text);
}
- (void)runAll {
    char text[TEXT];
    bool fine = true;
    start = seconds();
    for (NSUInteger first = 0; first < count && fine;) {
        NSUInteger last = first + 1;
        while (last < count && !commands[last].barrier) last++;
        for (NSUInteger i = last; i-- > first && fine;) fine = [self run:&commands[i] text:text];
        first = last;
    }
    end = seconds();
    if (!fine) {
        error = [NSError new];
        error->code = 3;
        snprintf(error->message, TEXT, "%s", text);
    }
    status = fine ? 4 : 5;
    for (NSUInteger i = 0; i < handlerCount; i++) { handlers[i]((id)self); _Block_release(handlers[i]); }
}
- (void)dealloc {
    for (NSUInteger i = 0; i < heldCount; i++) [held[i] release];
    for (NSUInteger i = 0; i < copyCount; i++) free(copies[i]);
    free(commands);
    [label release];
    [error release];
    [super dealloc];
}
@end

static void *work(void *given) {
    MockCommandBuffer *buffer = given;
    if (buffer->hasPrevious) pthread_join(buffer->previous, 0);
    void *pool = objc_autoreleasePoolPush();
    [buffer runAll];
    objc_autoreleasePoolPop(pool);
    [buffer release];
    return 0;
}

@interface MockQueue : NSObject { @public pthread_t last; bool hasLast; }
@end
@interface MockQueuedBuffer : MockCommandBuffer { @public MockQueue *queue; }
@end
@implementation MockQueuedBuffer
- (void)commit {
    if (open) stop("a command buffer is committed before its encoder has ended", (id)self);
    [self retain];
    hasPrevious = queue->hasLast;
    previous = queue->last;
    pthread_create(&queue->last, 0, work, self);
    queue->hasLast = true;
}
- (void)dealloc { [queue release]; [super dealloc]; }
@end
@implementation MockQueue
- (id)commandBuffer {
    MockQueuedBuffer *made = [MockQueuedBuffer new];
    made->queue = (MockQueue *)[self retain];
    return [made autorelease];
}
- (void)addResidencySet:(MockResidencySet *)set { }
- (void)dealloc { if (hasLast) pthread_detach(last); [super dealloc]; }
@end

@interface MockDevice : NSObject
@end
@implementation MockDevice
- (NSString *)name { return string("Apple Mock"); }
- (uint64_t)registryID { return 1; }
- (BOOL)supportsFamily:(NSInteger)family { return family <= mock_gpu_family; }
- (MTLSize)maxThreadsPerThreadgroup { return (MTLSize){1024, 1024, 1024}; }
- (NSUInteger)maxThreadgroupMemoryLength { return 32768; }
- (NSUInteger)maxBufferLength { return 1ul << 30; }
- (id)newResidencySetWithDescriptor:(MTLResidencySetDescriptor *)descriptor error:(NSError **)error { return [MockResidencySet new]; }
- (id)newCommandQueue { return [MockQueue new]; }
- (id)newBufferWithLength:(NSUInteger)length options:(NSUInteger)options {
    void *made = mock_no_memory ? 0 : mock_buffer(length);
    if (!made) return nil;
    MockBuffer *buffer = [MockBuffer new];
    buffer->device = self;
    buffer->buffer = made;
    buffer->length = length;
    return (id)buffer;
}
- (id)newBufferWithBytesNoCopy:(void *)start length:(NSUInteger)length options:(NSUInteger)options deallocator:(Deallocator)deallocator {
    if (mock_no_memory) return nil;
    MockBuffer *buffer = [MockBuffer new];
    buffer->device = self;
    buffer->buffer = mock_wrap(start, length);
    buffer->length = length;
    buffer->deallocator = _Block_copy(deallocator);
    return (id)buffer;
}
- (id)newLibraryWithSource:(NSString *)source options:(MTLCompileOptions *)options error:(NSError **)error {
    char text[TEXT];
    void *made = mock_library(source->text, options->version, options->mathMode, text);
    if (!made) return fail(error, 3, text);
    MockLibrary *library = [MockLibrary new];
    library->library = made;
    return (id)library;
}
- (id)newBinaryArchiveWithDescriptor:(MTLBinaryArchiveDescriptor *)descriptor error:(NSError **)error {
    MockArchive *made = [MockArchive new];
    if (!descriptor->url) return (id)made;
    FILE *file = fopen(descriptor->url->path->text, "r");
    bool fine = file && fgets(made->kernel, sizeof made->kernel, file);
    if (file) fclose(file);
    if (fine) return (id)made;
    [made release];
    return fail(error, 1, "the archive is empty");
}
- (id)newComputePipelineStateWithDescriptor:(MTLComputePipelineDescriptor *)descriptor options:(NSUInteger)options
                                 reflection:(MTLComputePipelineReflection **)reflection error:(NSError **)error {
    char text[TEXT];
    MockFunction *function = descriptor->function;
    MTLFunctionConstantValues *values = function->values;
    mock_info info;
    void *made = mock_pipeline(function->library->library, function->name->text, values ? values->values : 0,
                               values ? values->count : 0, &info, text);
    if (!made) return fail(error, 3, text);
    if (descriptor->archives) {
        MockArchive *archive = (MockArchive *)descriptor->archives->items[0];
        if (!strcmp(archive->kernel, function->name->text)) mock_archive_hits++;
    }
    id bindings[SLOTS];
    NSUInteger n = 0;
    mock_parameter parameter;
    while (mock_pipeline_parameter(made, n, &parameter)) {
        MockBinding *binding = [MockBinding new];
        binding->parameter = parameter;
        bindings[n++] = [binding autorelease];
    }
    MTLComputePipelineReflection *seen = [MTLComputePipelineReflection new];
    seen->bindings = (NSArray *)[[NSArray alloc] initWithObjects:bindings count:n];
    *reflection = (MTLComputePipelineReflection *)[seen autorelease];
    MockPipeline *pipeline = [MockPipeline new];
    pipeline->pipeline = made;
    pipeline->info = info;
    return (id)pipeline;
}
@end

id MTLCreateSystemDefaultDevice(void) { return mock_no_device ? nil : [MockDevice new]; }

// The registry of devices knows no GPU.
void *IOServiceMatching(const char *class) { return &mock_system; }
uint32_t IOServiceGetMatchingService(uint32_t port, void *matching) { return 0; }
const void *IORegistryEntryCreateCFProperty(uint32_t e, const void *k, const void *a, uint32_t o) { return 0; }
int IOObjectRelease(uint32_t object) { return 0; }
const void *CFStringCreateWithCString(const void *a, const char *text, uint32_t encoding) { return 0; }
size_t CFGetTypeID(const void *object) { return 0; }
size_t CFNumberGetTypeID(void) { return 0; }
uint8_t CFNumberGetValue(const void *number, long kind, void *value) { return 0; }
void CFRelease(const void *object) { }
