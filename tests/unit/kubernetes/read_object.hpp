// Reads one object of the API from text, as a list would.
#pragma once

#include <algorithm>
#include <boost/json/object.hpp>
#include <optional>
#include <string>

#include "kubernetes/core/item_reader.hpp"

namespace bellows::kubernetes {

/// `'` stands for `"`, so that JSON is readable within C++.
inline std::string json_of(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '"');
  return text;
}

/// The object in `text` (json_of), through T's field set. An Error if it was rejected.
template <class T>
Result<T> read_object(const std::string& text) {
  Result<T> read = fail(ErrorKind::kNotFound, "test", "nothing was read");
  ItemReader reader(
      T::fields(),
      [&read](const boost::json::object& item) -> Result<void> {
        read = T::from(item);
        if (!read) return fail(read.error());
        return {};
      },
      [&read](const Error& error) { read = fail(error); });
  const auto fed =
      reader.feed(json_of("{'metadata':{'resourceVersion':'1'},'items':[") + json_of(text) + "]}");
  if (!fed) return fail(fed.error());
  if (const auto list = reader.finish(); !list) return fail(list.error());
  return read;
}

/// The message of the error, or nothing.
template <class T>
std::string error_of(const Result<T>& result) {
  return result ? std::string() : to_string(result.error());
}

}  // namespace bellows::kubernetes
