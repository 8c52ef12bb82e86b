#include "json/texts.hpp"

#include <cstddef>
#include <utility>

namespace bellows::json {

Result<std::vector<std::string>> texts(const Object& object, std::string_view key) {
  BELLOWS_TRY(const List list, object.list(key));
  std::vector<std::string> texts;
  texts.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    BELLOWS_TRY(std::string text, list.text(i));
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace bellows::json
