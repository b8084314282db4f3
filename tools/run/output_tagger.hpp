// Whole lines of one rank's output, each with its tag.
#pragma once

#include <string>
#include <string_view>

namespace oriel::tools {

class output_tagger {
 public:
  // Lines go to descriptor `to` as "[rank] line", one write each where the system lets it.
  output_tagger(int rank, int to) : tag_("[" + std::to_string(rank) + "] "), to_(to) {}

  // Writes the lines that are complete and keeps the rest.
  void take(std::string_view bytes);
  // The last line may lack its end.
  void finish();

 private:
  void write_line(std::string_view line);

  std::string tag_;
  int to_;
  std::string rest_;
};

}  // namespace oriel::tools
