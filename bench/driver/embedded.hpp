// Files that the build put into the program (embedded.cpp.in).
#pragma once

namespace bench {

extern const char* const page_style;       // page/page.css
extern const char* const page_script;      // page/page.js
extern const char* const benchmarks_text;  // docs/BENCHMARKS.md

}  // namespace bench
