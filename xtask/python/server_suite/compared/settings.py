"""Settings of traces and logs, and facts about the server."""

from .models import add


def trace_of_the_server(t):
    t.get("/v2/trace/setting")
    for body in ({"trace_rate": "5"}, {"trace_count": "3"}, {"log_frequency": "7"},
                 {"trace_rate": "x"}, {"trace_rate": 5}, {"trace_count": "-2"}, {"trace_level": []},
                 {"trace_level": "OFF"}, {"trace_level": ["off"]}, {"trace_level": ["OFF"]},
                 {"trace_mode": "opentelemetry"}, {"trace_rate": ["1", "2"]}, [], "x"):  # fmt: skip
        t.post("/v2/trace/setting", body)
    t.post("/v2/trace/setting", {"trace_rate": None, "trace_count": None, "log_frequency": None})


def trace_of_negative_numbers(t):
    t.post("/v2/trace/setting", {"trace_rate": "-1"})
    t.post("/v2/trace/setting", {"trace_rate": None})


def trace_of_a_model(t):
    t.serve(add)
    path = f"/v2/models/{t.name}/trace/setting"
    t.get(path)
    t.post(path, {"trace_rate": "9"})
    t.get(path)
    t.get("/v2/trace/setting")
    t.post("/v2/trace/setting", {"trace_rate": "3"})
    t.get(path)
    t.post(path, {"trace_rate": None})
    t.get(path)
    t.post("/v2/trace/setting", {"trace_rate": None})
    t.unload()
    t.get(path)


def trace_over_grpc(t):
    t.serve(add)
    t.rpc("TraceSetting", settings={"trace_rate": {"value": ["5"]}}, model_name=t.name)
    t.rpc("TraceSetting", settings={"trace_rate": {"value": []}}, model_name=t.name)
    t.rpc("TraceSetting", settings={"trace_rate": {"value": ["x"]}})
    t.rpc("TraceSetting", settings={"trace_level": {"value": ["OFF", "OFF"]}})
    t.rpc("TraceSetting", model_name="nobody")


def log_settings(t):
    t.get("/v2/logging")
    for body in ({"log_verbose_level": 1}, {"log_verbose_level": 0}, {"log_verbose_level": -1},
                 {"log_verbose_level": "1"}, {"log_verbose_level": 1.5}, {"log_info": False},
                 {"log_info": True}, {"log_info": "true"}, {"log_warning": None},
                 {"log_format": "ISO8601"}, {"log_format": "default"}, {"log_format": 7},
                 {"log_error": False, "log_info": "x"}, {"log_error": True},
                 {}, [], "", "x"):  # fmt: skip
        t.post("/v2/logging", body)
    t.get("/v2/logging")


def log_settings_over_grpc(t):
    t.rpc("LogSettings")
    for key, value in (("log_verbose_level", {"uint32_param": 1}),
                       ("log_verbose_level", {"uint32_param": 0}),
                       ("log_verbose_level", {"bool_param": True}),
                       ("log_info", {"bool_param": False}), ("log_info", {"bool_param": True}),
                       ("log_info", {"string_param": "x"}), ("log_info", {}),
                       ("log_format", {"string_param": "default"})):  # fmt: skip
        t.rpc("LogSettings", settings={key: value})


def server_facts(t):
    t.get("/v2/health/live")
    t.get("/v2/health/ready")
    t.rpc("ServerLive")
    t.rpc("ServerReady")


def metrics_of_a_model(t):
    from .talk import row

    t.serve(add)
    t.metrics()
    t.infer(row(1, 2, 3, 4))
    t.infer({"name": "INPUT0", "datatype": "FP32", "shape": [2, 4], "data": [0] * 8})
    t.infer(row(1, 2))
    t.stats()
    t.metrics()
    t.unload()
    t.metrics(match="count|success")


def statistics_of_versions(t):
    t.serve(add)
    t.get(f"/v2/models/{t.name}/versions/1/stats")
    t.get(f"/v2/models/{t.name}/versions/7/stats")
    t.rpc("ModelStatistics", name=t.name, version="1")
    t.rpc("ModelStatistics", name=t.name, version="x")
    t.rpc("ModelStatistics", name=t.name, version="7")
