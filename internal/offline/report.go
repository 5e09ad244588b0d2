package offline

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"agent/internal/history"
)

// Report contains the results of one recording under every variant.
type Report struct {
	File     string    `json:"file"`
	Entries  int       `json:"entries"`
	Variants []Account `json:"variants"`
}

// Print writes reports as tables for people. Several reports are printed as a table by file, followed
// by their sum.
func Print(out io.Writer, reports []*Report) error {
	if len(reports) == 1 {
		return reports[0].print(out)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	model := PriceModels()[0].Name
	fmt.Fprintf(w, "cost, %s\trequests\t", model)
	for _, a := range reports[0].Variants {
		fmt.Fprint(w, a.Name, "\t")
	}
	fmt.Fprintln(w)
	for _, r := range reports {
		fmt.Fprintf(w, "%s\t%d\t", filepath.Base(r.File), r.Variants[0].Requests)
		for _, a := range r.Variants {
			fmt.Fprintf(w, "%.3f\t", a.Cost[0].Relative)
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	return SumReports(reports).print(out)
}

func (r *Report) print(out io.Writer) error {
	fmt.Fprintf(out, "%s: %d entries, %d requests\n", r.File, r.Entries, r.Variants[0].Requests)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(label string, cell func(a Account) string) {
		fmt.Fprint(w, label, "\t")
		for _, a := range r.Variants {
			fmt.Fprint(w, cell(a), "\t")
		}
		fmt.Fprintln(w)
	}
	row("", func(a Account) string { return a.Name })
	row("input tokens, total", func(a Account) string { return fmt.Sprint(a.TotalInput) })
	row("input tokens, peak", func(a Account) string { return fmt.Sprint(a.PeakInput) })
	row("prefix-cache hits", func(a Account) string { return share(a.CachedInput, a.TotalInput) })
	for i, p := range PriceModels() {
		row("cost, "+p.Name, func(a Account) string { return fmt.Sprintf("%.3f", a.Cost[i].Relative) })
	}
	for i, p := range PriceModels() {
		row("worst prefix, "+p.Name, func(a Account) string { return fmt.Sprintf("%.3f", a.Cost[i].Worst) })
	}
	row("edits of sent text", func(a Account) string {
		return fmt.Sprintf("%d of %d (%s)", a.Grounded, a.Edits, share(a.Grounded, a.Edits))
	})
	row("edits of pruned text", func(a Account) string {
		return fmt.Sprintf("%d (%s)", a.Blinded, share(a.Blinded, a.Edits))
	})
	row("results never sent in full", func(a Account) string {
		most := 0 // 0 means no limit: every price is accepted
		for _, c := range a.Cost {
			most = max(most, c.NeverWhole)
		}
		return fmt.Sprint(most)
	})
	row("cost of reading pruned text again", func(a Account) string {
		return fmt.Sprintf("%.1f%%", 100*a.Cost[0].FaultUnits/max(1, a.Cost[0].Reference))
	})
	if slices.ContainsFunc(r.Variants, func(a Account) bool { return a.Void > 0 }) {
		row("reasoning invalidated", func(a Account) string { return fmt.Sprintf("%d, %d in running turns", a.Void, a.VoidRunning) })
	}
	row("words lost", func(a Account) string { return share(a.WordsLost, a.Words) })
	row(counts(r.Variants[0], func(c history.PruneCount) string { return c.Many }), func(a Account) string {
		return counts(a, func(c history.PruneCount) string { return strconv.Itoa(c.N) })
	})
	row("compressions", func(a Account) string { return fmt.Sprint(a.Compressions) })
	row("pre-send time per request", func(a Account) string {
		return (a.PreSend / time.Duration(max(1, a.Requests))).Round(time.Microsecond).String()
	})
	return w.Flush()
}

// SumReports adds up the reports of all recordings. The worst prefix of the sum is the worst of all
// recordings.
func SumReports(reports []*Report) *Report {
	sum := &Report{File: fmt.Sprintf("all %d recordings", len(reports))}
	for i, r := range reports {
		sum.Entries += r.Entries
		for j, a := range r.Variants {
			if i == 0 {
				sum.Variants = append(sum.Variants, Account{Name: a.Name, Cost: make([]Cost, len(a.Cost))})
			}
			sum.Variants[j].plus(a)
		}
	}
	return sum
}

func counts(a Account, show func(history.PruneCount) string) string {
	var cells []string
	for _, c := range a.Pruned {
		cells = append(cells, show(c))
	}
	return strings.Join(cells, " / ")
}

func share(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(part)/float64(whole))
}
