// Package testrun counts the tests in the output of test programs. It supports the usual ones of
// Go, Rust, Python, Node, Ruby, PHP, Java and .NET, and programs that print TAP.
package testrun

import (
	"fmt"
	"strconv"

	"agent/internal/base/lazyregexp"
)

// Counts holds the results of a run of tests.
type Counts struct {
	Passed, Failed int
	// Unit names the counted items in the plural: "tests", or "packages" if the program does not
	// print single tests.
	Unit string
}

// String describes the run in a few words: "tests 9/9", "tests 8/9".
func (c Counts) String() string { return fmt.Sprintf("%s %d/%d", c.Unit, c.Passed, c.Passed+c.Failed) }

// program describes the summary of a test program.
type program struct {
	unit string
	// passed and failed match the results of tests. A pattern without a group matches once for each
	// test. The group of other patterns is a number of tests.
	passed, failed *lazyregexp.Pattern
	// total is set if the reported number of passed tests includes the failed ones. alone is set if
	// the output has no line about passed tests when no test has passed.
	total, alone bool
}

// programs lists the test programs in the order in which they are tried. A program that prints
// single tests precedes one that does not.
var programs = []program{
	{unit: "tests", passed: lazyregexp.New(`(?m)^\s*test result: \w+\. (\d+) passed`), failed: lazyregexp.New(`(?m)^\s*test result: \w+\. \d+ passed; (\d+) failed`)},
	// go test -v, then go test
	{unit: "tests", passed: lazyregexp.New(`(?m)^\s*--- PASS: `), failed: lazyregexp.New(`(?m)^\s*--- FAIL: `)},
	{unit: "packages", passed: lazyregexp.New(`(?m)^ok {2}\t\S+\t`), failed: lazyregexp.New(`(?m)^FAIL\t\S+(?:\t| \[)`), alone: true},
	// pytest, then unittest
	{unit: "tests", passed: lazyregexp.New(`(?m)^(?:=+ )?(?:\d+ \w+, )*(\d+) passed(?:, \d+ \w+)* in [\d.]+s`), failed: lazyregexp.New(`(?m)^(?:=+ )?(\d+) failed(?:, \d+ \w+)* in [\d.]+s`), alone: true},
	{unit: "tests", passed: lazyregexp.New(`(?m)^Ran (\d+) tests? in `), failed: lazyregexp.New(`(?:failures|errors)=(\d+)[,)]`), total: true},
	// jest and vitest, mocha, node --test
	{unit: "tests", passed: lazyregexp.New(`(?m)^\s*Tests:? .*?(\d+) passed`), failed: lazyregexp.New(`(?m)^\s*Tests:?\s+(\d+) failed`), alone: true},
	{unit: "tests", passed: lazyregexp.New(`(?m)^\s*(\d+) passing\b`), failed: lazyregexp.New(`(?m)^\s*(\d+) failing\b`)},
	{unit: "tests", passed: lazyregexp.New(`(?m)^[#ℹ] pass (\d+)`), failed: lazyregexp.New(`(?m)^[#ℹ] fail (\d+)`)},
	// rspec, phpunit
	{unit: "tests", passed: lazyregexp.New(`(?m)^(\d+) examples?, \d+ failure`), failed: lazyregexp.New(`(?m)^\d+ examples?, (\d+) failure`), total: true},
	{unit: "tests", passed: lazyregexp.New(`(?m)^(?:OK \(|Tests: )(\d+)(?: tests?)?, (?:A|\d+ a)ssertion`), failed: lazyregexp.New(`(?m)^Tests: \d+, Assertions: \d+.*? Failures: (\d+)`), total: true},
	// Maven, .NET
	{unit: "tests", passed: lazyregexp.New(`(?m)Tests run: (\d+), Failures: \d+, Errors: \d+(?:, Skipped: \d+)?$`), failed: lazyregexp.New(`(?m)Tests run: \d+, Failures: (\d+), Errors: \d+(?:, Skipped: \d+)?$`), total: true},
	{unit: "tests", passed: lazyregexp.New(`Passed:\s+(\d+), Skipped:`), failed: lazyregexp.New(`Failed:\s+(\d+), Passed:`)},
	// TAP
	{unit: "tests", passed: lazyregexp.New(`(?m)^ok \d+`), failed: lazyregexp.New(`(?m)^not ok \d+`), alone: true},
}

// searchedBytes is the number of bytes at the end of an output that is searched. Programs print their
// summary there.
const searchedBytes = 64 << 10

// Count counts the tests in an output. It returns false if the output is not that of a known test
// program.
func Count(output string) (Counts, bool) {
	output = output[max(0, len(output)-searchedBytes):]
	for _, p := range programs {
		passed, is := sum(p.passed, output)
		failed, fails := sum(p.failed, output)
		if !is && !(fails && p.alone) {
			continue
		}
		if p.total {
			passed -= failed
		}
		return Counts{Passed: max(0, passed), Failed: failed, Unit: p.unit}, true
	}
	return Counts{}, false
}

// sum adds up the numbers that a pattern matches.
func sum(p *lazyregexp.Pattern, output string) (total int, found bool) {
	for _, match := range p.FindAllStringSubmatch(output, -1) {
		found = true
		if len(match) == 1 {
			total++
			continue
		}
		n, _ := strconv.Atoi(match[1])
		total += n
	}
	return total, found
}
