#include "kardan/io/result_catalog.h"

#include "kardan/io/csv_result.h"
#include "kardan/io/hdf5_result.h"
#include "kardan/io/html_result.h"
#include "kardan/io/json_result.h"

namespace kardan {

const std::vector<ResultFormat>& result_formats() {
  static const std::vector<ResultFormat> all{
      {".csv", "all columns on the output grid", make_csv_result},
      {".json", "the certificate", make_json_result},
      {".h5", "everything, for tools; `kardan view` makes a report of it", make_hdf5_result, true},
      {".html", "a report with 3-D replay, plots and certificate", make_html_result, true},
  };
  return all;
}

const ResultFormat* find_result_format(std::string_view path) {
  for (const ResultFormat& f : result_formats())
    if (path.ends_with(f.suffix)) return &f;
  return nullptr;
}

}  // namespace kardan
