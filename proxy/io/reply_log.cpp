#include "proxy/io/reply_log.hpp"

#include <array>
#include <cstdio>
#include <utility>

#include "base/printable_text.hpp"
#include "base/sys/log.hpp"
#include "json/writer.hpp"
#include "proxy/core/access_line.hpp"

namespace bellows::proxy {

std::string ReplyLog::new_request_id() {
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx",  // NOLINT
                static_cast<unsigned long long>(random_.next()));
  return digits.data();
}

void ReplyLog::add(LoggedReply reply, TimePoint now) {
  for (std::string* text : {&reply.method, &reply.host, &reply.path, &reply.detail}) {
    *text = printable(*text, kMaxText);
  }
  if (kept_.size() == kKept) kept_.pop_front();
  kept_.push_back(std::move(reply));
  if (!lines_.allow(now)) return;
  const LoggedReply& added = kept_.back();
  sys::log::warning("request failed", {{"request_id", added.request_id},
                                       {"status", added.status},
                                       {"error", added.detail},
                                       {"host", added.host},
                                       {"path", added.path},
                                       {"not_logged_before", lines_.take_refused()}});
}

std::vector<const LoggedReply*> ReplyLog::find(std::string_view request_id) const {
  std::vector<const LoggedReply*> found;
  for (auto reply = kept_.rbegin(); reply != kept_.rend(); ++reply) {
    if (reply->request_id == request_id) found.push_back(&*reply);
  }
  return found;
}

std::string replies_json(const std::vector<const LoggedReply*>& replies) {
  json::Writer writer;
  writer.integer("version", 1).open_list("replies");
  for (const LoggedReply* reply : replies) {
    writer.open()
        .text("request_id", reply->request_id)
        .text("at", rfc3339(reply->at))
        .integer("status", reply->status)
        .text("reason", reply->reason)
        .text("method", reply->method)
        .text("host", reply->host)
        .text("path", reply->path)
        .text("detail", reply->detail)
        .close();
  }
  return writer.close().end();
}

}  // namespace bellows::proxy
