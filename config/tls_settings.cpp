#include "config/tls_settings.hpp"

#include <algorithm>

#include "base/text_parts.hpp"

namespace bellows::config {

namespace {

bool has_as_many_keys(const TlsSettings& settings) {
  return path_list(settings.key).size() == path_list(settings.certificate).size();
}

bool has_one_place(const TlsSettings& settings) {
  return settings.folder.empty() || settings.certificate.empty();
}

bool has_one_source(const TlsSettings& settings) {
  const bool has_files = !settings.certificate.empty() || !settings.folder.empty();
  return settings.source == TlsSource::kFiles || !has_files;
}

void add_rules(Schema<TlsSettings>& tls) {
  tls.add_rule({{"tls-key", "tls-certificate"},
                has_as_many_keys,
                "as many files in tls-key as in tls-certificate"});
  tls.add_rule(
      {{"tls-folder", "tls-certificate"}, has_one_place, "either tls-folder or tls-certificate"});
  tls.add_rule({{"tls", "tls-certificate", "tls-folder"},
                has_one_source,
                "neither tls-certificate nor tls-folder with self-signed"});
  tls.add_rule({{"tls-client-ca"},
                [](const TlsSettings& s) { return s.client_ca.empty() || s.is_on(); },
                "tls-certificate, tls-folder or tls self-signed with it"});
  tls.add_rule({{"hsts"},
                [](const TlsSettings& s) { return s.hsts == Duration::zero() || s.is_on(); },
                "tls-certificate, tls-folder or tls self-signed with it"});
  tls.add_rule({{"redirect-listen"},
                [](const TlsSettings& s) { return !s.redirect_listen || s.is_on(); },
                "tls-certificate, tls-folder or tls self-signed with it"});
  tls.add_rule({{"acme-folder", "redirect-listen"},
                [](const TlsSettings& s) { return s.acme_folder.empty() || s.redirect_listen; },
                "redirect-listen with acme-folder: challenges use plain http"});
  tls.add_rule({{"redirect-port", "redirect-listen"},
                [](const TlsSettings& s) { return !s.redirect_port || s.redirect_listen; },
                "redirect-listen with redirect-port"});
}

}  // namespace

std::vector<std::string> path_list(std::string_view text) {
  if (text.empty()) return {};
  const auto parts = split(text, ',');
  return {parts.begin(), parts.end()};
}

const Schema<TlsSettings>& tls_schema() {
  static const Schema<TlsSettings> schema = [] {
    auto tls = Schema<TlsSettings>::of();
    add_rules(tls);
    return tls;
  }();
  return schema;
}

}  // namespace bellows::config
