package offline

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"agent/internal/history"
)

// Report is the outcome of one recording under every variant.
type Report struct {
	File     string    `json:"file"`
	Entries  int       `json:"entries"`
	Variants []Account `json:"variants"`
}

// Account is what one variant would have sent.
type Account struct {
	Name string `json:"name"`
	// Requests counts model requests; TotalInput sums their input tokens and
	// PeakInput is the largest.
	Requests   int `json:"requests"`
	TotalInput int `json:"totalInputTokens"`
	PeakInput  int `json:"peakInputTokens"`
	// CachedInput is the part of TotalInput that stood unchanged at the head of
	// the request before (longest common prefix).
	CachedInput int `json:"cachedInputTokens"`
	// Cost is the input's price by price model, relative to sending everything
	// (the first variant).
	Cost []Cost `json:"cost"`
	// PreSend is the time all pre-send windows took together.
	PreSend time.Duration `json:"preSendNs"`
	// Edits counts replace calls; Grounded those whose old text was still visible
	// in the context when the call was made.
	Edits    int `json:"edits"`
	Grounded int `json:"groundedEdits"`
	// Pruned and Compressions count what was done to the context; what the hard
	// limit forced is among the compressions.
	Pruned       history.Counts `json:"pruned"`
	Compressions int            `json:"compressions"`
}

// Cost is the price of an account's input under one price model.
type Cost struct {
	Model string `json:"model"`
	// Units are tokens weighed by the model's prices.
	Units float64 `json:"units"`
	// Relative is the share of what the first variant costs.
	Relative float64 `json:"relative"`
}

// Print writes the report as a table for people.
func (r *Report) Print(out io.Writer) error {
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
		row("cost, "+p.Name, func(a Account) string { return fmt.Sprintf("%.2f", a.Cost[i].Relative) })
	}
	row(counts(r.Variants[0], func(c history.Count) string { return c.Many }), func(a Account) string {
		return counts(a, func(c history.Count) string { return strconv.Itoa(c.N) })
	})
	row("compressions", func(a Account) string { return fmt.Sprint(a.Compressions) })
	row("grounded edits", func(a Account) string {
		return fmt.Sprintf("%d of %d (%s)", a.Grounded, a.Edits, share(a.Grounded, a.Edits))
	})
	row("pre-send time per request", func(a Account) string {
		return (a.PreSend / time.Duration(max(1, a.Requests))).Round(time.Microsecond).String()
	})
	return w.Flush()
}

// counts lists what show makes of each count of an account.
func counts(a Account, show func(history.Count) string) string {
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
