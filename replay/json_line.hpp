// Writing one line of JSON whose numbers read back to the same doubles.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bellows::replay {

/// The shortest text that reads back to the same double: 3, 0.1, -0, 1e+22. Finite numbers only.
std::string number_text(double number);

/// Members stand in the order of the calls: JsonLine().number("at", 3.6).flag("empty", false).end()
/// is `{"at":3.6,"empty":false}` and a line break.
class JsonLine {
 public:
  JsonLine& number(std::string_view key, double value);
  JsonLine& integer(std::string_view key, std::int64_t value);
  JsonLine& flag(std::string_view key, bool value);
  JsonLine& text(std::string_view key, std::string_view value);
  JsonLine& null(std::string_view key);

  /// Members up to the matching close() belong to an object, or to a list, under `key`. Within a
  /// list each member is an object: its key is empty.
  JsonLine& open(std::string_view key);
  JsonLine& open_list(std::string_view key);
  JsonLine& close();

  /// The finished line. Everything opened must be closed.
  std::string end();

 private:
  void begin(std::string_view key);

  std::string line_ = "{";
  std::string open_ = "}";  // what closes what is open, the innermost last
};

}  // namespace bellows::replay
