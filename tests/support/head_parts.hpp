// All that is known of a head, as text: two ways to know the same head are compared by it.
#pragma once

#include <string>

#include "http/core/head.hpp"

namespace bellows::test {

inline void append_fields(const http::Fields& fields, std::string& out) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    out += std::to_string(static_cast<int>(fields.id(i))) + "[";
    out.append(fields.name(i)).append("][").append(fields.value(i)).append("][");
    out.append(fields.line(i)).append("]\n");
  }
  for (int id = 0; id <= static_cast<int>(http::FieldId::kInternal); ++id) {
    out += fields.has(static_cast<http::FieldId>(id)) ? '1' : '0';
  }
}

template <class Head>
void append_rest(const Head& head, std::string& out) {
  out += "\n1." + std::to_string(head.minor_version) + " size " + std::to_string(head.size);
  out += " length " + (head.framing.content_length ? std::to_string(*head.framing.content_length)
                                                   : std::string("none"));
  out += head.framing.chunked ? " chunked\n" : "\n";
  append_fields(head.fields, out);
}

inline std::string parts_of(const http::RequestHead& head) {
  std::string out;
  for (const std::string_view part : {head.method, head.target, head.path, head.query, head.host}) {
    out.append("[").append(part).append("]");
  }
  out += head.expects_continue ? " expects" : "";
  append_rest(head, out);
  return out;
}

inline std::string parts_of(const http::ResponseHead& head) {
  std::string out = std::to_string(head.status);
  out.append("[").append(head.reason).append("]");
  append_rest(head, out);
  return out;
}

/// As the reader of text finds them.
template <class Head>
std::string parts_in(std::string_view text) {
  Head head;
  const http::HeadResult result = http::HeadParser(http::kMaxHeadLimits).read(text, head);
  return result.is_complete() ? parts_of(head) : "not a head: " + std::string(text);
}

}  // namespace bellows::test
