#include "machine/service/route_test.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "config/static_answers.hpp"
#include "http/core/field_reader.hpp"
#include "http/core/head.hpp"
#include "json/texts.hpp"
#include "json/writer.hpp"

namespace bellows::machine {

namespace {

/// Returns the local replies of the revision with the largest share.
Result<activator::OwnAnswers> own_answers(const ServiceRecord& record) {
  const config::RevisionSettings& settings = *record.current()->content->settings;
  activator::OwnAnswers own{.probe_user_agents = settings.probe_user_agents,
                            .probe_paths = settings.probe_paths};
  BELLOWS_TRY(own.static_answers, config::read_static_answers(settings.callers.static_answers));
  return own;
}

}  // namespace

Result<activator::TestRequest> test_request(const std::string& method, const std::string& url,
                                            std::vector<std::string> header_lines) {
  std::string_view rest = url;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (rest.starts_with(scheme)) rest.remove_prefix(scheme.size());
  }
  const std::size_t end = rest.find_first_of("/?#");
  const std::string_view host = rest.substr(0, end);
  const bool is_visible = std::ranges::all_of(url, [](char c) { return c > ' ' && c <= '~'; });
  if (rest.size() == url.size() || host.empty() || http::host_fault(host) || !is_visible) {
    return fail(ErrorKind::kInvalidSetting, "URL",
                "\"" + url + "\": want http://HOST/PATH, as in http://web.localhost/api");
  }
  if (method.empty() || !std::ranges::all_of(method, http::is_token_byte)) {
    return fail(ErrorKind::kInvalidSetting, "METHOD",
                "\"" + method + "\": want one of HTTP, such as GET");
  }
  std::string path(end == std::string_view::npos ? "" : rest.substr(end));
  path = path.substr(0, path.find('#'));
  if (!path.starts_with('/')) path.insert(0, 1, '/');
  return activator::TestRequest{.method = method,
                                .host = std::string(host),
                                .path = std::move(path),
                                .header_lines = std::move(header_lines)};
}

std::string request_text(const activator::TestRequest& request) {
  json::Writer out;
  out.text("method", request.method).text("host", request.host).text("path", request.path);
  out.open_list("headers");
  for (const std::string& line : request.header_lines) out.text(line);
  return out.close().end();
}

Result<activator::TestRequest> read_test_request(const json::Object& body) {
  activator::TestRequest request;
  BELLOWS_TRY(request.method, body.text("method"));
  BELLOWS_TRY(request.host, body.text("host"));
  BELLOWS_TRY(request.path, body.text("path"));
  BELLOWS_TRY(request.header_lines, json::texts(body, "headers"));
  return request;
}

Result<activator::RouteReport> route_report(const Records& records,
                                            const activator::TestRequest& request) {
  std::vector<activator::RoutedService> routed;
  for (const auto& [name, record] : records) {
    if (record.is_removed()) continue;
    BELLOWS_TRY(activator::OwnAnswers own, own_answers(record));
    activator::RoutedService service{
        .name = name, .route = record.route, .revisions = {}, .own = std::move(own)};
    for (const RevisionRecord& revision : record.revisions) {
      activator::RoutedRevision& one = service.revisions.emplace_back();
      one.id = revision_id(name, revision.number);
      one.share = revision.share;
      one.tags = tags_of(record, revision.number);
    }
    routed.push_back(std::move(service));
  }
  return activator::route_report(routed, request);
}

std::string report_text(const activator::RouteReport& report) {
  json::Writer out;
  out.integer("version", 1).flag("taken", report.is_taken).open_list("lines");
  for (const std::string& line : report.lines) out.text(line);
  return out.close().end_line();
}

Result<activator::RouteReport> read_route_report(std::string_view text) {
  activator::RouteReport report;
  BELLOWS_TRY(const json::Object answer, json::parse(text, "/v1/route-test"));
  BELLOWS_TRY(report.is_taken, answer.flag("taken"));
  BELLOWS_TRY(report.lines, json::texts(answer, "lines"));
  return report;
}

}  // namespace bellows::machine
