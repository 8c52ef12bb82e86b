// bellows inject, without reading and printing: a file of 1,000 Deployments with their Services.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>

#include "injector/core/inject.hpp"
#include "injector/yaml/read.hpp"

namespace {

using namespace bellows::injector;

std::string deployment(int number) {
  const std::string name = "shop-" + std::to_string(number);
  return "# number " + std::to_string(number) +
         "\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: " + name +
         "\n  labels:\n    app.kubernetes.io/name: " + name +
         "\nspec:\n  replicas: 3\n  selector:\n    matchLabels:\n      app: " + name +
         "\n  template:\n    metadata:\n      labels:\n        app: " + name +
         "\n    spec:\n      serviceAccountName: shop\n      containers:\n        # the app\n"
         "        - name: app\n          image: registry.example/shop:1.2.3\n          env:\n"
         "            - name: MODE\n              value: \"1\"\n            - name: DATABASE\n"
         "              valueFrom:\n                secretKeyRef:\n                  name: db\n"
         "                  key: url\n          ports:\n            - name: http\n"
         "              containerPort: 8080\n          readinessProbe:\n            httpGet:\n"
         "              path: /healthz\n              port: http\n            periodSeconds: 5\n"
         "          livenessProbe:\n            httpGet:\n              path: /live\n"
         "              port: http\n          resources:\n            requests:\n"
         "              cpu: 100m\n              memory: 128Mi\n            limits:\n"
         "              memory: 256Mi\n          volumeMounts:\n            - name: data\n"
         "              mountPath: /data\n      volumes:\n        - name: data\n"
         "          emptyDir: {}\n---\napiVersion: v1\nkind: Service\nmetadata:\n  name: " +
         name + "\nspec:\n  selector:\n    app: " + name +
         "\n  ports:\n    - port: 80\n      targetPort: 8080\n---\n";
}

std::string file_of(int deployments) {
  std::string text;
  for (int number = 0; number < deployments; ++number) text += deployment(number);
  return text;
}

std::string injected(const std::string& text) {
  InjectOptions options;
  options.image = "bellows/queue-proxy:1";
  auto manifest = read_manifest("shops.yaml", text, read_yaml);
  if (!manifest) std::abort();
  const auto injection = inject({std::move(*manifest)}, options, read_yaml);
  if (!injection || has_refusal(injection->report)) std::abort();
  return manifest_text(injection->manifests.front());
}

void inject_file(benchmark::State& state) {
  const std::string text = file_of(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(injected(text));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(inject_file)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

/// A second run: what is there is taken out first.
void inject_again(benchmark::State& state) {
  const std::string text = injected(file_of(static_cast<int>(state.range(0))));
  for (auto _ : state) benchmark::DoNotOptimize(injected(text));
}
BENCHMARK(inject_again)->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace
