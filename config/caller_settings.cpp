#include "config/caller_settings.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include "config/route.hpp"
#include "config/schema.hpp"
#include "config/static_answers.hpp"
#include "config/text_formats.hpp"
#include "config/waiting_page.hpp"

namespace bellows::config {
namespace {

using namespace std::chrono_literals;

TextFormat header_name_format() {
  return {.want = "the name of a header field, such as X-User, or nothing",
          .read = [](std::string_view text) -> std::optional<std::string> {
            if (text.empty()) return std::string();
            auto match = read_header_match(text);
            if (!match || match->value) return std::nullopt;
            return std::move(match->name);
          }};
}

TextFormat page_format() {
  return {.want = "built-in, the path of a file that ends with .html, or nothing",
          .read = [](std::string_view text) -> std::optional<std::string> {
            if (!text.empty() && text != kBuiltInPage && !text.ends_with(".html")) {
              return std::nullopt;
            }
            return std::string(text);
          }};
}

TextFormat static_answers_format() {
  return {.want =
              "a list of path, status, body and headers, as in "
              "[{\"path\":\"/healthz\",\"status\":200,\"body\":\"ok\"}], or nothing",
          .read = [](std::string_view text) -> std::optional<std::string> {
            if (!read_static_answers(text)) return std::nullopt;
            return std::string(text);
          }};
}

TextFormat service_format() {
  return {.want = "the name of a service, or nothing",
          .read = [](std::string_view text) -> std::optional<std::string> {
            if (!text.empty() && !name_format().read(text)) return std::nullopt;
            return std::string(text);
          }};
}

void declare_clients(Schema<CallerSettings>& schema) {
  schema.group("Clients");
  schema.add_choice(&CallerSettings::split_by,
                    {{"request", SplitBy::kRequest}, {"client", SplitBy::kClient}},
                    {.name = "split-by",
                     .help = "Whether the revisions of a service share requests, or clients, each "
                             "of which stays with one revision (docs/routes.md)."});
  schema.add(&CallerSettings::client_header,
             {.name = "client-header",
              .format = header_name_format(),
              .help = "With split-by client: the header field that identifies a client, such as "
                      "X-User. Requests without it are shared one by one.",
              .unset = "a cookie that Bellows sets"});
  schema.add_choice(
      &CallerSettings::session_affinity,
      {{"none", SessionAffinity::kNone}, {"cookie", SessionAffinity::kCookie}},
      {.name = "session-affinity",
       .help = "cookie: a client goes to the replica that served it before, as long as that is "
               "ready and has a free slot. Its revision stays the same too."});
}

void declare_meanwhile(Schema<CallerSettings>& schema) {
  schema.group("While no replica is ready");
  schema.add(&CallerSettings::waiting_page,
             {.name = "waiting-page",
              .format = page_format(),
              .help = "Page for a browser meanwhile (GET that accepts text/html): built-in, or the "
                      "path of a file that ends with .html. It has status 503 and reloads itself.",
              .unset = "the request waits"});
  schema.add(&CallerSettings::fallback_service,
             {.name = "fallback-service",
              .format = service_format(),
              .help = "Service that gets the requests meanwhile, and if the replicas of this one "
                      "fail to start.",
              .unset = "the request waits"});
  schema.add(&CallerSettings::fallback_after,
             {.name = "fallback-after",
              .bounds = between(0s, 1h),
              .help = "Time that a request waits for a replica before it gets the waiting page or "
                      "the fallback service."});
  schema.add(&CallerSettings::static_answers,
             {.name = "static-answers",
              .format = static_answers_format(),
              .help = "Paths that Bellows answers itself, without starting a replica: a list of "
                      "path, status, body and headers. A list in bellows.yaml, JSON elsewhere.",
              .unset = "none"});
}

}  // namespace

const Schema<CallerSettings>& caller_schema() {
  static const Schema<CallerSettings> schema = [] {
    Schema<CallerSettings> declared;
    declare_clients(declared);
    declare_meanwhile(declared);
    return declared;
  }();
  return schema;
}

}  // namespace bellows::config
