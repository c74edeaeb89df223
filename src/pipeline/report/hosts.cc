// Where load and origin ran, and which CPU is counted because of it.
#include "pipeline/report/sections.h"
#include "pipeline/report/words.h"
#include "system/cpus.h"

namespace hone::pipeline::report {

std::vector<Terms::Item> host_terms(const Design& design) {
  const subject::Hosts& hosts = design.settings.hosts;
  std::vector<Terms::Item> items;
  if (hosts.load.is_far()) {
    items.push_back({"load from", to_string(hosts.load) + ", to " + code(hosts.server_address) +
                                      " here; the clocks of the two hosts need not agree, because "
                                      "each slice is timed there alone"});
  }
  if (design.with_origin && hosts.origin.is_far())
    items.push_back({"origin on", to_string(hosts.origin) + ", at " + code(hosts.origin_address)});
  return items;
}

std::string cpus_text(const Design& design) {
  const bool load_here = !design.settings.hosts.load.is_far();
  const bool origin_here = design.with_origin && !design.settings.hosts.origin.is_far();
  const std::string others = load_here ? (origin_here ? "load and origin" : "load")
                                       : (origin_here ? "origin and hone itself" : "hone itself");
  return "server " + system::format_cpu_list(design.server_cpus) + "; " + others + " " +
         system::format_cpu_list(design.load_cpus);
}

bool load_is_far(const RunView& view) { return view.run.proof.design.settings.hosts.load.is_far(); }

bool counts_whole_cpu(const RunView& view) {
  const auto& all = view.run.proof.comparisons;
  return !all.empty() && all.front().metric == kWholeMetric;
}

std::string cpu_meaning(const RunView& view) {
  return counts_whole_cpu(view)
             ? "all time in which the server's CPUs were not available to others, the network's "
               "soft interrupts included, over successful responses"
             : "CPU time of the whole process tree, read when quiet, over successful responses";
}

std::optional<Sentence> far_load_sentence(const RunView& view, const LoadView& load) {
  if (!load_is_far(view)) return std::nullopt;
  std::string text = "The load came from another host (" +
                     to_string(view.run.proof.design.settings.hosts.load) + ")";
  if (!counts_whole_cpu(view))
    return Sentence{text +
                        ", and the CPU is what was charged to the arms' processes: what the "
                        "network costs in soft interrupts is not in it.",
                    Tone::kNote};
  text += ". CPU per request is whole CPU: " + cpu_meaning(view);
  std::string charged;
  for (const Comparison* one : load.all()) {
    if (!one->charged_cpu) continue;
    charged += (charged.empty() ? "" : "; ") +
               (load.all().size() > 1 ? code(view.label(*one)) + " " : std::string()) +
               estimate(one->charged_cpu->estimate);
  }
  if (!charged.empty())
    text += ". By the CPU charged to the arms' processes alone the change is " + charged;
  return Sentence{text + "."};
}

}  // namespace hone::pipeline::report
