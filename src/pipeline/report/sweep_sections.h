// The parts of a sweep's report; sweep_report.cc puts them in reading order.
#pragma once

#include <string>
#include <vector>

#include "pipeline/report/sections.h"
#include "pipeline/report/sweep_report.h"

namespace hone::pipeline::report {

// sweep_words.cc
std::string arm_name(const SweepValues&, const std::string& arm);  // "B (`pgo-thinlto`)", or "B"
std::string latency_text(double us);                               // "0.84 ms"
// "up to 19,000 requests/s", "at least ...", "none of these rates", "no rate for certain"
std::string ceiling_text(const Ceiling&);
Sentence sweep_headline(const SweepValues&);
std::vector<Sentence> sweep_lead(const SweepValues&);

// sweep_shape.cc
Section shape_sweep_section(const SweepValues&, const ShapeSweep&);

// sweep_conditions.cc
Section sweep_conditions_section(const SweepValues&);
Section sweep_points_section(const SweepValues&);
Section sweep_glossary_section(const SweepValues&);

}  // namespace hone::pipeline::report
