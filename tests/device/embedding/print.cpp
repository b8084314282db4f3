#include <cstdio>

extern "C" const char text_begin[];
extern "C" const char text_end[];

int main() {
  std::fwrite(text_begin, 1, static_cast<std::size_t>(text_end - text_begin), stdout);
}
