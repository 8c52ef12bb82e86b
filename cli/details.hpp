// The help of each command besides its synopsis and its flags.
#pragma once

#include <string_view>

namespace bellows::cli {

inline constexpr std::string_view kRunDetails =
    R"(COMMAND is started once per replica. It listens on 127.0.0.1 at the port in $PORT. $PORT and ${PORT} inside
COMMAND and ARGS are replaced too, so no shell is needed (quote them from yours):

  bellows run -- python3 -m http.server --bind 127.0.0.1 '$PORT'
  bellows run --container-concurrency 10 --max-scale 20 --readiness-path /healthz -- ./server

Clients connect to --listen. `bellows status`, `bellows top`, /metrics, /healthz and /readyz use --admin.
Ctrl-C lets requests in flight finish and exits; a second Ctrl-C exits immediately.
)";

inline constexpr std::string_view kUpDetails =
    R"(FILE (default: bellows.yaml; - is standard input) lists services, distinguished by host name or path prefix:

  services:
    - name: shop
      host: shop.localhost
      command: [./shop, --port, "$PORT"]
      max-scale: 20

  bellows up
  bellows up services.yaml --listen 0.0.0.0:8080
  envsubst < services.yaml | bellows up -
  bellows up -d              in the background

Flags apply to every service and override the file. docs/bellows-yaml.md describes the file.
SIGHUP or `bellows reload` reloads FILE: services are added, changed and removed while requests are served (docs/revisions.md).
)";

inline constexpr std::string_view kDownDetails =
    R"(Returns when Bellows has stopped. Replicas drain as with Ctrl-C. Ctrl-C ends only this command.

  bellows up -d
  bellows down
)";

inline constexpr std::string_view kReloadDetails =
    R"(Does the same as SIGHUP, and prints the changes. A file with errors changes nothing: the command prints each error
with its line, exit code 2.

  bellows reload
)";

inline constexpr std::string_view kLogsDetails =
    R"(Bellows keeps the last 128 KiB of the output of a service's apps, with the time and the replica of each line.
Only the user that runs Bellows, and root, can read them.

  bellows logs web
  bellows logs web -f
)";

inline constexpr std::string_view kPageDetails =
    R"(The page at this address shows the output of apps as well, and wakes, stops, pauses and resumes services. Its key
is valid until Bellows ends. Only the account of Bellows, or root, gets it. Do not send it over networks without TLS.

  xdg-open $(bellows page)
  ssh -L 8081:127.0.0.1:8081 server     then open the address that `bellows page` prints there
)";

inline constexpr std::string_view kScaleDetails =
    R"(The service is paused with that number of replicas; neither its load nor its bounds change it. N is at most
max-scale. With 0, requests wait until it is resumed. On Kubernetes use `bellows pause` and kubectl scale.

  bellows scale web 3
  bellows resume web        scales by load again
)";

inline constexpr std::string_view kRestartDetails =
    R"(A new replica starts beside the old ones; once it is ready, an old one drains, and so on. No request fails. If
the new one does not become ready, the old ones stay; `bellows check` has the reason.

  bellows restart web
)";

inline constexpr std::string_view kApplyDetails =
    R"(Adds the services that only FILE has, removes those that were deleted from FILE, and changes the others: by a new
revision, or by a setting that takes effect at once:

  bellows apply --dry-run                      prints the changes, with old and new values
  bellows apply -f services.yaml

Services of `bellows add` stay. SIGHUP to `bellows up` applies only the changes of its FILE; `bellows apply` also
reverts changes by other commands. A FILE with an error changes nothing; exit code 2.
)";

inline constexpr std::string_view kAddDetails =
    R"(The service takes requests at once, and the app is started once: they wait for it. If it does not become ready, the
service is removed again and the exit code is 1. Afterwards it is at zero until its first request.

  bellows add shop --host shop.localhost -- ./shop --port '$PORT'
  bellows add pages --host pages.example --host '*.pages.example' -- ./pages --port '$PORT'
  bellows add api --path-prefix /api --set max-scale=20 --environment LOG=info -- ./api
  bellows add pr-17 --host pr-17.example.org --ttl 2d --no-wait -- ./app     a preview, removed after two days

It outlives a restart of `bellows up`, in its --state-file.
)";

inline constexpr std::string_view kDeployDetails =
    R"(Unnamed parts stay unchanged: command, environment, settings. The new revision starts with as many replicas as the
load needs; when they are ready it takes all new requests, and the previous one ends after its last request.
A revision that is not ready within progress-deadline is removed without getting a request; exit code 1.

  bellows deploy web -- ./web-2 --port '$PORT'
  bellows deploy web --tag canary -- ./web-3   only for canary.web.localhost, until a split
  bellows deploy web --environment LOG=debug --set container-concurrency=20
  bellows deploy web --canary 5%,25%,100% --step 2m --max-errors 1% --max-latency p99=300ms -- ./web-2
  bellows rollback web

With --canary it continues or rolls back by itself, with the reason. After Ctrl-C it continues too (exit code 130);
`bellows revisions web` shows it, and `bellows rollback web` ends it.
)";

inline constexpr std::string_view kRollbackDetails =
    R"(  bellows rollback web               to the previous revision
  bellows rollback web --to 2        or --to web-00002; `bellows revisions web` lists them
)";

inline constexpr std::string_view kSplitDetails =
    R"(  bellows split web web-00001=90 web-00002=10
  bellows split web web-00002=100
  bellows split web --tag canary=web-00002     requests for canary.web.localhost, whatever its share
  bellows split web --untag canary

The percents add up to 100. A revision gets its share when the replicas for it are ready.
)";

inline constexpr std::string_view kRouteTestDetails =
    R"(  bellows route-test GET http://shop.localhost/api -H 'X-Version: 2'
  bellows route-test http://shop.localhost/api -f bellows.yaml     offline, without a running Bellows

Prints the service, its revisions with their shares, and other rules that match or nearly match. Exit code 1 if no
service gets the request.
)";

inline constexpr std::string_view kRemoveDetails =
    R"(New requests get 404, requests in flight finish. If a settings file has the service, it stays removed until
`bellows apply` or a change of its entry there.
)";

inline constexpr std::string_view kStatusDetails =
    R"(  bellows status
  bellows status shop -o wide
  bellows status -o json | jq '.services[].ready'

On a Kubernetes cluster, through its API server with your own rights:

  bellows status -n shop                        the revisions of a namespace
  bellows status web -n shop --context staging
  bellows top -A                                those of all namespaces
)";

inline constexpr std::string_view kRecommendDetails =
    R"(Prints how each number is derived in a running Bellows: usage, request, percentile, margin, bounds, the rule
that applied and its reason. The resources-mode of the service must not be off:

  bellows run --recommend --cpu 100m --memory 64Mi -- ./server
  bellows recommend web
  bellows recommend web-00001-1/app --policy vpa
)";

inline constexpr std::string_view kRetireDetails =
    R"(The replicas drain and exit. New requests get 410 Gone until `bellows resume`, or until Bellows is restarted.

  bellows retire web
  bellows retire web -n shop       on a Kubernetes cluster: sets spec.state of the Revision to Retired
)";

inline constexpr std::string_view kCheckDetails =
    R"(Prints one line for each item, with a hint after each failure. It changes nothing. On one machine it checks FILE
(each error with its line), programs, addresses, open files, control groups, swap, the sizes that are advice only,
and the services of the Bellows at --admin.

  bellows check                              bellows.yaml, if there is one, and the running Bellows
  bellows check services.yaml
  bellows check -o json | jq '.items[] | select(.result == "failed")'

On a Kubernetes cluster it checks the API server, its version, the custom resource, your rights, those of the
autoscaler's account, the autoscaler, each revision:

  bellows check -A
  bellows check -n shop --context staging

Exit code: 0 success, 1 an item failed, 2 FILE, the kubeconfig or a flag cannot be used.
)";

inline constexpr std::string_view kUninstallDetails =
    R"(Removes labels and Revisions, starts Deployments at zero with their earlier replicas, waits until the pods of each
Service serve its requests, and removes the programs, their rights and the kind Revision. No request fails. It also
completes an uninstall begun by hand, with or without a running autoscaler.

  bellows uninstall --dry-run          prints the steps
  bellows uninstall --context staging

It uses your own rights. Exit code: 0 Bellows is removed, 1 the line names the obstacle; run it again after that.
)";

inline constexpr std::string_view kPauseDetails =
    R"(The service continues to serve with its replicas, whose number neither load nor bounds change. With none, requests
wait until it is resumed.

  bellows pause web
  bellows resume web
  bellows pause web -n shop        on a Kubernetes cluster: sets spec.state of the Revision to Paused
)";

inline constexpr std::string_view kResumeDetails =
    R"(Ends a pause, a number set by hand and a retirement. Bellows measures the load during a pause, so the first decision
after it is a normal one.

  bellows resume web
)";

inline constexpr std::string_view kDemoDetails =
    R"(A small service that takes a moment to start and a while per request receives no requests, one request, a burst,
and no requests again. It takes about a minute and uses short windows for that.
)";

inline constexpr std::string_view kExplainDetails =
    R"(  bellows explain web                        now
  bellows explain web --at 14:03:05          the decision in force at that time; or -30s
  bellows explain --journal web.jsonl        from a saved journal, as far back as it reaches
  bellows journal web | bellows explain --journal -
  bellows explain --request 5f2ca81b0c6d9e37  the error detail for this X-Request-Id
  bellows explain web -n shop                of a Kubernetes cluster

`bellows run` and `up` keep the decisions of the last day (journal-memory), the autoscaler of a cluster the last 32 of
each service: about one minute.
)";

inline constexpr std::string_view kJournalDetails =
    R"(`bellows replay decisions` computes the same decisions again, byte for byte:

  bellows journal web > web.jsonl            the last 32 decisions; --since 2h: those of the last two hours
  bellows replay decisions web.jsonl
  bellows journal web | bellows replay decisions -

Change a setting in a line with `spec` to see its effect on the decisions. Format: docs/formats/replay.md.
)";

inline constexpr std::string_view kSlowDetails =
    R"(The slow brain of a service learns its target of requests in flight per replica (docs/slow-brain.md).
Prints its advice, latency, throughput, CPU and memory by requests in flight, and the bounds:

  bellows slow web
  bellows slow web --svg web.svg
  bellows slow web --journal | bellows replay slow -
)";

inline constexpr std::string_view kReplaySlowDetails =
    R"(Reads the lines of `bellows slow NAME --journal` and prints the same advice, number by number:

  {"at":0,"state":{...}}                     the state before
  {"at":30,"spec":{...},"interval":{...}}    prints {"at":30,"target":15,"before":10,...}

Change a bound in `spec` to see its effect on the advice. docs/formats/replay.md describes the format.
)";

inline constexpr std::string_view kReplayDetails =
    R"(Reads JSON lines from FILE (standard input without one, or as -) and writes JSON lines, in virtual time. It runs
the same code as production. docs/formats/replay.md describes the formats.

  bellows replay decisions web.jsonl
  bellows replay windows - < values.jsonl
)";

inline constexpr std::string_view kReplayWindowsDetails =
    R"(One series of values in one window with buckets of 1 s. Reads FILE, or standard input without one or as -.

  {"window":"60s","algorithm":"linear"}      starts a new series; or "weighted-exponential"
  {"at":3.2,"record":5.0}
  {"at":3.6,"read":true}                     prints {"at":3.6,"average":5,"empty":false}
  {"at":9,"resize":"30s"}

A second without a value, and how each profile treats it:

  printf '%s\n' '{"window":"6s"}' '{"at":1,"record":9}' '{"at":3,"record":9}' '{"at":3,"read":true}' |
    bellows replay windows --profile knative

prints 6: Knative counts the missing second as zero. Without the flag it prints 9: the second is unknown.
)";

inline constexpr std::string_view kSimulateDetails =
    R"(Runs the production deciders, windows, activator and limits in virtual time, on the same arrivals for every policy.
Two bounds are shown next to the policies: an oracle that knows the load of the next start-up time, and the load itself.

  bellows simulate access.log                what scaling would have saved; nginx, Apache, Caddy, HAProxy, Traefik, Envoy, ALB
  bellows simulate --trace worldcup98-jun30.csv --scale 0.25 --from 15h --to 17h
  bellows simulate --trace day.csv --policy bellows,knative,bellows:window=30s --app slow,service=200ms
  zcat -f access.log* | bellows simulate - --report day.html

An app model is a preset (fast, medium, slow: ready 0.5s, 2s, 20s after it is ordered) or nothing, then key=value,
separated by commas:

  start=DISTRIBUTION    from ordered to ready                              2s
  service=DISTRIBUTION  service time of one request                        exponential(500ms)
  workers=N             requests that one replica processes at once; 0: no limit    0
  cpu=DURATION          part of each service time that needs a core        0
  cores=N               cores of one replica                               1
  crash=DURATION        mean time between crashes of one replica           never
  crash-at-start=N%     share of starts that fail                          0%

A DISTRIBUTION is 2s, uniform(1s,3s), exponential(500ms) or lognormal(20s,0.3): median, and sigma from 0 to 5.
A DURATION is 20ms or 1h30m. docs/simulate.md describes the formats, the columns and the model.
)";

}  // namespace bellows::cli
