#include "base/yaml/document_reader.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "config/bellows_file.hpp"
#include "config/settings_page.hpp"

namespace bellows::config {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using Strings = std::vector<std::string>;

const fs::path kSource = BELLOWS_SOURCE_DIR;

/// A folder of its own for each test, removed at its end.
class SettingsFile : public testing::Test {
 protected:
  SettingsFile() {
    std::string name = fs::temp_directory_path() / "bellows-config-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~SettingsFile() override { fs::remove_all(folder_); }

  std::string write(const std::string& text) {
    const fs::path path = folder_ / "bellows.yaml";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  fs::path folder_;
};

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(SettingsFile, HasItsNameInProblemsAsTheUserWroteIt) {
  const std::string path = write("a: 1\na: 2\n");
  const auto document = yaml::read_document(path);
  ASSERT_FALSE(document.has_value());
  EXPECT_EQ(document.error()[0].culprit(), path + ":2: a");
}

TEST_F(SettingsFile, ThatIsMissingIsOneError) {
  const auto document = yaml::read_document(folder_ / "none.yaml");
  ASSERT_FALSE(document.has_value());
  ASSERT_EQ(document.error().size(), 1U);
  EXPECT_EQ(to_string(document.error()[0]),
            (folder_ / "none.yaml").string() +
                ": cannot open the file: No such file or directory (ENOENT)");
}

TEST_F(SettingsFile, ThatIsAFolderIsOneError) {
  const auto document = yaml::read_document(folder_);
  ASSERT_FALSE(document.has_value());
  ASSERT_EQ(document.error().size(), 1U);
  EXPECT_EQ(to_string(document.error()[0]),
            folder_.string() + ": cannot read the file: Is a directory (EISDIR)");
}

TEST_F(SettingsFile, HasAtMostOneMebibyte) {
  const std::string max = "# " + std::string(1024 * 1024 - 2, 'x');
  EXPECT_TRUE(yaml::read_document(write(max)).has_value());
  const auto document = yaml::read_document(write(max + "x"));
  ASSERT_FALSE(document.has_value());
  EXPECT_EQ(document.error()[0].kind(), ErrorKind::kTooLarge);
}

/// The example of Maestro's documentation, under a service. Its second trigger is indented by one
/// column less than the first.
constexpr const char* kMaestro = R"(services:
  - name: rooms
    command: [./room]
    requests:
      memory: 1Gi
      cpu: 1000m
    autoscaling:
      min: 100                  # minimum amount of GRUs
      max: 1000
      up:
        metricsTrigger:         # the first that matches
          - type: room
            threshold: 80
            usage: 70
            time: 600
         - type: mem
            threshold: 80
            usage: 70
            time: 600
        cooldown: 300
      down:
        metricsTrigger:
          - type: cpu
            threshold: 80
            usage: 50
            time: 900
        cooldown: 300
)";

TEST_F(SettingsFile, MayHaveMaestrosExampleAsItStands) {
  const auto document = yaml::read_document(write(kMaestro));
  ASSERT_TRUE(document.has_value()) << problems_text(document.error());
  const auto settings = read_bellows_file(*document, {});
  ASSERT_TRUE(settings.has_value()) << problems_text(settings.error());
  const RevisionSettings& rooms = settings->services.front().settings;
  EXPECT_EQ(rooms.resources.cpu, Millicores{1000});
  EXPECT_EQ(rooms.resources.memory, mebibytes(1024));
  EXPECT_EQ(rooms.autoscaling,
            R"({"min":100,"max":1000,"up":{"metricsTrigger":[)"
            R"({"type":"room","threshold":80,"usage":70,"time":600},)"
            R"({"type":"mem","threshold":80,"usage":70,"time":600}],"cooldown":300},)"
            R"("down":{"metricsTrigger":[{"type":"cpu","threshold":80,"usage":50,"time":900}],)"
            R"("cooldown":300}})");
}

TEST_F(SettingsFile, ErrorsOfPoliciesHaveTheLineOfTheirKey) {
  const auto document = yaml::read_document(write(kMaestro));
  ASSERT_TRUE(document.has_value());
  const PolicyCheck rejects = [](const RevisionSettings&) -> Result<void> {
    return fail(ErrorKind::kMalformed, "autoscaling.up.metricsTrigger[1].usage", "70: want less");
  };
  const auto settings = read_bellows_file(*document, {}, rejects);
  ASSERT_FALSE(settings.has_value());
  EXPECT_NE(to_string(settings.error().front()).find(":18: autoscaling.up.metricsTrigger[1].usage"),
            std::string::npos)
      << to_string(settings.error().front());
}

TEST(Examples, HaveTheirValues) {
  const auto document = yaml::read_document(kSource / "config/examples/bellows.yaml");
  ASSERT_TRUE(document.has_value()) << problems_text(document.error());
  const auto settings = read_bellows_file(*document, {});
  ASSERT_TRUE(settings.has_value()) << problems_text(settings.error());

  Service files{.name = RevisionId("files"),
                .command = {"python3", "-m", "http.server", "--bind", "127.0.0.1", "$PORT"},
                .environment = {},
                .working_directory = "/srv/files",
                .route = {.host = "files.localhost", .path_prefix = {}},
                .settings = one_machine_settings()};
  files.settings.readiness_path = "/";
  Service api{.name = RevisionId("api"),
              .command = {"/usr/local/bin/api", "--listen", "127.0.0.1:${PORT}"},
              .environment = {{"LOG_LEVEL", "info"}, {"WORKERS", "4"}},
              .working_directory = {},
              .route = {.host = {}, .path_prefix = "/api"},
              .settings = one_machine_settings()};
  api.settings.container_concurrency = 20;
  api.settings.min_scale = 1;
  api.settings.request_timeout = 30s;
  EXPECT_EQ(*settings, (UpSettings{.run = RunSettings(), .services = {files, api}}));
  EXPECT_EQ(settings->services[0].command_at.text, document->file + ":12");
  EXPECT_EQ(settings->services[1].command_at.text, document->file + ":19");
}

TEST(Examples, AllLoad) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(kSource / "config/examples")) {
    const auto document = yaml::read_document(entry.path());
    ASSERT_TRUE(document.has_value()) << problems_text(document.error());
    const auto settings = read_bellows_file(*document, {});
    EXPECT_TRUE(settings.has_value()) << problems_text(settings.error());
    ++count;
  }
  EXPECT_GE(count, 2);
}

TEST(BellowsYamlPage, ShowsAnExampleThatLoads) {
  const std::string page = read_text(kSource / "docs/bellows-yaml.md");
  const std::string fence = "```yaml\n";
  const std::size_t begin = page.find(fence);
  ASSERT_NE(begin, std::string::npos);
  const std::size_t end = page.find("```", begin + fence.size());
  const auto document = yaml::parse_document(
      "bellows-yaml.md", page.substr(begin + fence.size(), end - begin - fence.size()));
  ASSERT_TRUE(document.has_value()) << problems_text(document.error());
  const auto settings = read_bellows_file(*document, {});
  EXPECT_TRUE(settings.has_value()) << problems_text(settings.error());
}

TEST(SettingsPage, IsUpToDate) {
  // Not EXPECT_EQ: the difference of two whole pages helps nobody.
  EXPECT_TRUE(read_text(kSource / "docs/settings.md") == settings_page())
      << "docs/settings.md is stale. Renew it with:\n"
         "  cmake --build --preset dev --target settings_page && "
         "build/dev/bin/settings_page docs/settings.md";
}

}  // namespace
}  // namespace bellows::config
