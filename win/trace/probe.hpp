// Static probes (USDT) of the provider `oriel`, for perf, bpftrace and SystemTap: an instruction
// that does nothing where none is attached. Present where oriel is built with <sys/sdt.h> (Debian:
// systemtap-sdt-dev). docs/TRACING.md lists them.
#pragma once

#if __has_include(<sys/sdt.h>)
#include <sys/sdt.h>
#define ORIEL_PROBE1(name, a) DTRACE_PROBE1(oriel, name, a)
#define ORIEL_PROBE3(name, a, b, c) DTRACE_PROBE3(oriel, name, a, b, c)
#define ORIEL_PROBE4(name, a, b, c, d) DTRACE_PROBE4(oriel, name, a, b, c, d)
#else
#define ORIEL_PROBE1(name, a)
#define ORIEL_PROBE3(name, a, b, c)
#define ORIEL_PROBE4(name, a, b, c, d)
#endif
