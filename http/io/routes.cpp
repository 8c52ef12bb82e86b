#include "http/io/routes.hpp"

#include <utility>

#include "base/check.hpp"

namespace bellows::http {

namespace {

std::string allowed_methods(const auto& by_method) {
  std::string allowed;
  for (const auto& [method, handler] : by_method) {
    if (!allowed.empty()) allowed += ", ";
    allowed += method;
    if (method == "GET" && !by_method.contains("HEAD")) allowed += ", HEAD";
  }
  return allowed;
}

}  // namespace

void Routes::add(std::string method, std::string path, Handler handler) {
  CHECK(path.starts_with('/'), "a route's path starts with '/'");
  const bool is_new =
      pages_[std::move(path)].by_method.emplace(std::move(method), std::move(handler)).second;
  CHECK(is_new, "a route is added once");
}

void Routes::add_websocket(std::string path, WebSocketHandler handler) {
  CHECK(path.starts_with('/'), "a route's path starts with '/'");
  WebSocketHandler& place = pages_[std::move(path)].websocket;
  CHECK(!place, "a WebSocket route is added once");
  place = std::move(handler);
}

void Routes::add_events(std::string path, EventSource source) {
  CHECK(path.starts_with('/'), "a route's path starts with '/'");
  EventSource& place = pages_[std::move(path)].events;
  CHECK(!place, "a route of events is added once");
  place = std::move(source);
}

const Routes::Page* Routes::page_of(std::string_view path) const {
  if (const auto exact = pages_.find(path); exact != pages_.end()) return &exact->second;
  for (std::size_t slash = path.rfind('/'); slash != std::string_view::npos && slash > 0;
       slash = path.rfind('/', slash - 1)) {
    const auto prefix = pages_.find(path.substr(0, slash + 1));
    if (prefix != pages_.end()) return &prefix->second;
  }
  const auto rest = pages_.find("/*");
  return rest == pages_.end() ? nullptr : &rest->second;
}

Routes::Match Routes::find(std::string_view method, std::string_view path,
                           bool wants_websocket) const {
  const Page* const page = page_of(path);
  if (page == nullptr) return NotFound{};
  if (wants_websocket && page->websocket) return &page->websocket;
  if (page->events) {
    if (method == "GET") return &page->events;
    return MethodNotAllowed{.allowed = "GET"};
  }
  auto found = page->by_method.find(method);
  if (found == page->by_method.end() && method == "HEAD") found = page->by_method.find("GET");
  if (found != page->by_method.end()) return &found->second;
  if (page->by_method.empty()) return WebSocketOnly{};
  return MethodNotAllowed{.allowed = allowed_methods(page->by_method)};
}

}  // namespace bellows::http
