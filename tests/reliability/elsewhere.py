"""Inputs of the catalogue that other tests look at: what is given, and where that is tested."""

ELSEWHERE = {
    "integers that float64 merges": "data/test_frames.py::test_integers_that_float64_would_merge",
    "infinite values in any frame": "data/test_frames.py::test_infinite_values_are_named",
    "sparse, masked, lazy, ragged, complex, dated, nested, doubly named tables":
        "data/test_frames.py::test_a_table_that_cannot_be_used_is_refused",
    "read-only, Fortran, foreign-endian, strided arrays":
        "data/test_frames.py::test_any_layout_of_numbers_will_do",
    "long doubles": "data/test_frames.py::test_long_doubles_are_rounded_with_a_warning",
    "missing, mixed, multiple, continuous, single-class targets":
        "data/test_target.py::test_a_target_that_cannot_be_used_is_refused",
    "ragged, empty, badly quoted, separated or headed CSV": "broken_tables.py::BROKEN",
    "other encodings, NUL bytes": "data/test_opening.py::test_files_that_are_not_utf8",
    "lines without end": "data/test_opening.py::test_a_line_has_a_limit",
    "gzip bombs": "data/test_opening.py::test_a_gzip_bomb_is_stopped_by_its_ratio",
    "a header that promises too much":
        "data/test_npy.py::test_a_header_that_promises_too_much_costs_no_memory",
    "torn gzip files": "data/test_opening.py::test_broken_gzip_files",
    "a file that changes while it is read":
        "data/test_csv.py::test_a_file_that_changes_while_it_is_read_is_refused",
    "slips among numbers":
        "data/test_csv.py::test_a_slip_in_a_column_of_numbers_is_warned_of",
    "labels that look missing": "data/test_read_table.py::test_labels_are_text_as_it_is_spelled",
    "parameters without sense": "select/test_settings.py::BAD",
    "another table in transform":
        "select/test_citizen.py::test_a_frame_with_other_names_is_refused",
    "fields of a saved run altered":
        "result/test_result.py::test_wrong_field_is_named_in_one_sentence",
    "a link planted for a temporary file":
        "result/test_result.py::test_saving_follows_no_planted_link",
    "a log cut at every byte": "search/test_checkpoint.py::test_truncated_anywhere",
    "a log with every byte damaged": "search/test_checkpoint.py::test_no_flipped_bit",
    "the log of another run": "search/test_checkpoint.py::test_another_run_is_refused",
    "kill -9": "search/test_checkpoint.py::test_killed_and_resumed_is_identical",
    "two processes on one log": "search/test_checkpoint.py::test_a_second_process_is_refused",
    "a cache of kernels that is torn": "common/test_jit.py::test_torn_files_cost_one_warning",
    "a cache of kernels that others can write": "common/test_jit.py::test_cache_open_to_others",
    "no place for a cache": "common/test_jit.py::test_nowhere_to_cache_costs_one_warning",
    "a cache on a full disk": "common/test_jit.py::test_full_disk_costs_one_warning",
    "no kernels at all": "common/test_jit.py::test_without_jit_the_plain_function_is_left",
    "threads inside joblib, Dask, multiprocessing":
        "measure/test_threads.py::test_joblib_processes_get_one_thread_each_unless_told",
    "Ctrl-C amid a batch": "measure/test_threads.py::test_interrupt_leaves_after_the_calls",
    "Ctrl-C and SIGTERM": "cli/test_interruption.py::test_a_signal_ends_the_search",
    "streams that are closed": "cli/test_streams.py::test_closed_streams_cost_nothing",
    "a full disk behind stdout": "cli/test_streams.py::test_a_full_disk_behind_stdout",
    "the table as output": "cli/test_outputs.py::test_the_table_is_never_written_over",
    "an output that is a link": "cli/test_outputs.py::test_a_link_stays_a_link",
    "names that command a terminal": "cli/test_terminal.py::test_names_are_printed_whole",
    "names that are markup in a page": "report/test_render.py::test_data_cannot_leave_its_element",
}  # fmt: skip
