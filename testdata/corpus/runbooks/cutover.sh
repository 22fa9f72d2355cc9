#!/usr/bin/env bash
# Moves the readings from MariaDB on stork to PostgreSQL on heron, in one night.
# Written by Tomasz Wilk, reviewed by Jonas Reuter on 2026-03-17.
#
# Every step can be repeated. A step that fails stops the script; nothing is skipped.
set -euo pipefail

readonly WINDOW_END="04:00"        # UTC; after this nobody starts a new step
readonly WORKERS=8                 # 16 was not faster in rehearsal 2
readonly SPOOL=/var/spool/gauge    # 72 hours of readings, for the way back
readonly MAX_ALERT=1               # no move while any gauge is at alert level 2 or above

log() { printf '%s %s\n' "$(date -u +%H:%M:%S)" "$*" | tee -a cutover.log; }

check_alert_level() {
	local level
	level=$(gaugectl alert --max)
	if (( level > MAX_ALERT )); then
		log "alert level $level: not tonight"
		exit 1
	fi
}

in_window() { [[ "$(date -u +%H:%M)" < "$WINDOW_END" ]]; }

copy_tables() {
	log "drop indexes on heron"
	psql -h heron -f drop_indexes.sql
	log "copy with $WORKERS workers"
	gauge-copy --from stork --to heron --workers "$WORKERS" --strict station reading
	log "build indexes"
	psql -h heron -f create_indexes.sql
}

compare() {
	local old new
	old=$(mysql -h stork -N -e 'SELECT count(*) FROM reading')
	new=$(psql -h heron -At -c 'SELECT count(*) FROM reading')
	if [[ "$old" != "$new" ]]; then
		log "stork has $old rows, heron has $new"
		return 1
	fi
	log "both have $new rows"
}

main() {
	check_alert_level
	log "banner on"
	gaugectl banner on "New levels are back at 04:00 UTC"
	gaugectl pause --spool "$SPOOL"

	copy_tables
	until compare; do
		in_window || { log "window over, going back"; gaugectl use --host stork; gaugectl resume; exit 1; }
		read -rp "rows differ; fix them and press enter "
	done

	gaugectl use --host heron
	gaugectl resume
	gaugectl banner off
	log "done; spool is kept for 72 hours"
}

main "$@"
