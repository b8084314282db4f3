// Texts of pages and pictures.
#pragma once

#include <string>
#include <string_view>

namespace bench {

// Safe in the text and in the quoted attributes of HTML and SVG.
std::string escaped(std::string_view);

// "4 KiB"
std::string size_text(double bytes);
// "1.25 µs", to three digits.
std::string time_text(double ns);
// Three digits: "1.25", "18.5", "232".
std::string ratio_text(double);
// Of an axis: "10 µs".
std::string axis_time_text(double ns);
// "12.5 GB/s"
std::string rate_text(double gigabytes_per_second);

}  // namespace bench
