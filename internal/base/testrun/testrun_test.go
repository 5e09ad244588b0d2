package testrun

import "testing"

// Count sums the totals in the last lines of test programs.
func TestCount(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ output, want string }{
		"go":                  {"ok  \tagent/a\t0.2s\nok  \tagent/b\t(cached)\n?   \tagent/c\t[no test files]\n", "packages 2/2"},
		"go that fails":       {"--- FAIL: TestX (0.00s)\n    x_test.go:3: no\nFAIL\nFAIL\tagent/a\t0.2s\nok  \tagent/b\t0.1s\nFAIL\n", "packages 1/2"},
		"go that is no build": {"# agent/a\na.go:1: x\nFAIL\tagent/a [build failed]\nFAIL\n", "packages 0/1"},
		"go -v":               {"=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/x (0.00s)\n--- FAIL: TestB (0.00s)\nFAIL\nFAIL\tagent/a\t0.2s\n", "tests 2/3"},
		"cargo":               {"test result: ok. 8 passed; 0 failed; 0 ignored;\n\n   Doc-tests x\ntest result: FAILED. 1 passed; 2 failed; 0 ignored\n", "tests 9/11"},
		"pytest":              {"..F\n========= 1 failed, 8 passed, 2 warnings in 0.12s =========\n", "tests 8/9"},
		"pytest -q":           {"9 passed in 0.12s\n", "tests 9/9"},
		"pytest, none passed": {"2 failed in 1.2s\n", "tests 0/2"},
		"unittest":            {"Ran 9 tests in 0.001s\n\nOK\n", "tests 9/9"},
		"unittest that fails": {"Ran 9 tests in 0.001s\n\nFAILED (failures=1, errors=2)\n", "tests 6/9"},
		"jest":                {"Test Suites: 1 failed, 1 passed, 2 total\nTests:       1 failed, 8 passed, 9 total\n", "tests 8/9"},
		"vitest":              {" Test Files  1 passed (1)\n      Tests  9 passed (9)\n", "tests 9/9"},
		"mocha":               {"  9 passing (12ms)\n  1 failing\n", "tests 9/10"},
		"node":                {"# tests 3\n# pass 2\n# fail 1\n", "tests 2/3"},
		"node, spec":          {"ℹ tests 2\nℹ pass 2\nℹ fail 0\n", "tests 2/2"},
		"rspec":               {"9 examples, 1 failure\n", "tests 8/9"},
		"phpunit":             {"OK (9 tests, 12 assertions)\n", "tests 9/9"},
		"phpunit that fails":  {"FAILURES!\nTests: 9, Assertions: 12, Failures: 2.\n", "tests 7/9"},
		"maven":               {"[INFO] Tests run: 9, Failures: 1, Errors: 0, Skipped: 0\n", "tests 8/9"},
		"dotnet":              {"Passed!  - Failed:     0, Passed:     9, Skipped:     0, Total:     9\n", "tests 9/9"},
		"TAP":                 {"1..2\nok 1 - a\nnot ok 2 - b\n", "tests 1/2"},
		"prose":               {"all 9 tests are ok; errors=3, 4 failed attempts\n", ""},
		"a listing":           {"total 12\n-rw-r--r-- 1 a a 9 tests.txt\n", ""},
	} {
		got, is := Count(tc.output)
		if is != (tc.want != "") || is && got.String() != tc.want {
			t.Errorf("%s: %q, %t; want %q", name, got, is, tc.want)
		}
	}
}
