// Reads the cases of tests/corpus/http1 (its README says how they are written).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bellows::test {

/// One paragraph of a corpus file.
struct CorpusCase {
  std::string name;
  std::string asks;                ///< `?`
  std::string comes;               ///< `>`
  std::vector<std::string> goes;   ///< `<`, parted by `--`
  int status = 0;                  ///< `=`; 0: the proxy does not answer itself
  std::string error;               ///< the word behind it
  std::vector<std::string> words;  ///< `!`, and `late` of `=`

  bool says(std::string_view word) const;
};

/// All cases of a file of tests/corpus/http1, in its order. What cannot be read is a failure of the
/// running test that names file and line.
std::vector<CorpusCase> read_corpus(const std::string& file);

}  // namespace bellows::test
