"""Checks `keyboard migrate`: python3 migrate.py KEYBOARD [GROUP...]

KILLS=n kills at random n times, instead of 8 (500 with THOROUGH=1). OpenSSL makes the texts, and libargon2 checks the
verifiers.

SPDX-License-Identifier: Apache-2.0
"""

import groups
import migrate_kills as kills
import migrate_tables as tables
import migrate_use as use

GROUPS = (
    tables.verifiers, tables.encodings, tables.peppers, tables.sealing, tables.imports, tables.bad_rows,
    tables.fields_without_end, tables.bad_base64, tables.odd_tables, tables.damaged_rows, tables.bad_headers,
    tables.wrong_for_all_rows, use.wrong_use, use.files_of_others, use.other_settings, use.altered_files,
    use.one_file_by_two_names, kills.kills_at_each_call, kills.kills_in_a_row, kills.kills_at_random, kills.full_disk,
    kills.other_tables, kills.other_bad_rows, kills.speed, kills.progress,
)

groups.run("migrate", GROUPS, draws=True)
