from hypothesis import HealthCheck, settings

# A test that fails must fail again, and one that is slow on a busy machine is not wrong.
settings.register_profile("grapheme", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("grapheme")
