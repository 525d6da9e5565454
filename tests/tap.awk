# SPDX-License-Identifier: GPL-2.0-only
# Judges one test program by the TAP it printed and by how it ended. Set: name (of the program), status (exit status).
# Prints `count PASSED FAILED SKIPPED`, `skip NAME: REASON` and `fail NAME: WHAT`, a line each. A program that died, printed
# no plan or kept no plan is one more failure. Several plans add up: cmocka prints one for each group of tests.
# cmocka 1.1.5 says `not ok N # SKIP name` of a skipped test, without a reason: the last line `# skip: REASON` gives it.

function promise(line) {
	sub(/^(not )?ok *[0-9]* *(- *)?/, "", line)
	return line
}

function fail(what) {
	failed++
	fails[failed] = what
}

{ sub(/\r$/, "") }

/^# skip: / { hint = substr($0, 9) }

/^1\.\.[0-9]+/ {
	plans++
	planned += substr($1, 4)
	if (match($0, /# *[Ss][Kk][Ii][Pp][^ ]* */) && $1 == "1..0")
		skips[++skipped] = "all of it: " substr($0, RSTART + RLENGTH)
}

/^(not )?ok([ \t]|$)/ {
	ran++
	if (match($0, /# *[Ss][Kk][Ii][Pp][^ ]* */)) {
		what = promise(substr($0, 1, RSTART - 1))
		reason = substr($0, RSTART + RLENGTH)
		sub(/ +$/, "", what)
		if (what == "") {
			what = reason
			reason = hint == "" ? "no reason given" : hint
		}
		skips[++skipped] = what ": " reason
		hint = ""
	} else if (/^ok/)
		passed++
	else {
		broken++
		fail(promise($0))
	}
}

/^Bail out!/ { fail($0) }

function ending() {
	if (status == 124)
		return "timed out"
	if (status > 128 && status <= 192)
		return "died by signal " (status - 128)
	return "ended with status " status
}

END {
	if (status != 0 && (!broken || status >= 124))
		fail(ending())
	else if (!plans)
		fail("printed no plan")
	if (plans && !ran && !skipped && !failed)
		fail("ran no test")
	if (plans && planned != ran)
		fail("planned " planned + 0 " tests and ran " ran + 0)
	print "count", passed + 0, failed + 0, skipped + 0
	for (i = 1; i <= skipped; i++)
		print "skip", name ": " skips[i]
	for (i = 1; i <= failed; i++)
		print "fail", name ": " fails[i]
}
