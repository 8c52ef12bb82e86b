#include "tests/integration/proxy/corpus_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace bellows::test {

namespace {

std::string bytes_of(std::string_view text);

/// "100(text)": the text a hundred times. Removes what was read from `text`.
std::string repeated(std::string_view& text) {
  const std::size_t open = text.find('(');
  const std::size_t close = text.find(')', open);
  const int times = std::stoi(std::string(text.substr(0, open)));
  const std::string once = bytes_of(text.substr(open + 1, close - open - 1));
  text.remove_prefix(close + 1);
  std::string all;
  for (int i = 0; i < times; ++i) all += once;
  return all;
}

std::string escaped(std::string_view& text) {
  const char c = text.front();
  text.remove_prefix(1);
  switch (c) {
    case 'r':
      return "\r";
    case 'n':
      return "\n";
    case 't':
      return "\t";
    case 's':
      return " ";
    case '*':
      return repeated(text);
    case 'x': {
      const char byte = static_cast<char>(std::stoi(std::string(text.substr(0, 2)), nullptr, 16));
      text.remove_prefix(2);
      return {byte};
    }
    default:
      return {c};
  }
}

std::string bytes_of(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    const char c = text.front();
    text.remove_prefix(1);
    if (c == '\\') {
      bytes += escaped(text);
    } else {
      bytes += c;
    }
  }
  return bytes;
}

/// A line of a message: CRLF follows, unless the line ends with a backslash.
std::string message_line(std::string_view text) {
  if (text.ends_with('\\')) return bytes_of(text.substr(0, text.size() - 1));
  return bytes_of(text) + "\r\n";
}

bool take_line(std::string_view line, CorpusCase& current) {
  if (line == "--") {
    current.goes.emplace_back();
    return true;
  }
  const std::string_view text = line.substr(std::min<std::size_t>(2, line.size()));
  std::istringstream words{std::string(text)};
  std::string word;
  switch (line.front()) {
    case '?':
      current.asks += message_line(text);
      return true;
    case '>':
      current.comes += message_line(text);
      return true;
    case '<':
      if (current.goes.empty()) current.goes.emplace_back();
      current.goes.back() += message_line(text);
      return true;
    case '=':
      words >> current.status >> current.error;
      [[fallthrough]];
    case '!':
      while (words >> word) current.words.push_back(word);
      return true;
    default:
      return false;
  }
}

}  // namespace

bool CorpusCase::says(std::string_view word) const {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::vector<CorpusCase> read_corpus(const std::string& file) {
  std::ifstream in(std::string(BELLOWS_CORPUS_DIR) + "/" + file);
  EXPECT_TRUE(in.is_open()) << file;
  std::vector<CorpusCase> cases;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == '[') {
      cases.push_back({});
      cases.back().name = line;
    } else if (cases.empty() || !take_line(line, cases.back())) {
      ADD_FAILURE() << file << ':' << number << ": not a line of a case: " << line;
    }
  }
  return cases;
}

}  // namespace bellows::test
