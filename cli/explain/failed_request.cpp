#include "cli/explain/failed_request.hpp"

#include "json/object.hpp"

namespace bellows::cli {

Result<std::string> explain_replies(const std::string& page) {
  BELLOWS_TRY(const json::Object whole, json::parse(page, "the page"));
  BELLOWS_TRY(const std::vector<json::Object> replies, whole.objects("replies"));
  std::string text;
  for (const json::Object& reply : replies) {
    BELLOWS_TRY(const std::string at, reply.text("at"));
    BELLOWS_TRY(const std::int64_t status, reply.integer("status", 100, 599));
    BELLOWS_TRY(const std::string reason, reply.text("reason"));
    BELLOWS_TRY(const std::string method, reply.text("method"));
    BELLOWS_TRY(const std::string host, reply.text("host"));
    BELLOWS_TRY(const std::string path, reply.text("path"));
    BELLOWS_TRY(const std::string detail, reply.text("detail"));
    text += at + "  " + method + " " + host + path + "  " + std::to_string(status) + " " + reason +
            "\n  " + detail + "\n";
  }
  return text;
}

}  // namespace bellows::cli
