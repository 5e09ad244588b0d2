package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"agent/internal/app"
	"agent/internal/base/humanize"
	"agent/internal/base/rawjson"
	"agent/internal/base/table"
	"agent/internal/frontend/cli"
	"agent/internal/llm/vendor"
	"agent/internal/provider"
	"agent/internal/provider/catalogue"
	"agent/internal/settings"

	"github.com/spf13/cobra"
)

// modelsOptions holds the flags of agent models.
type modelsOptions struct {
	settingsOptions
	filter  string
	all     bool
	json    bool
	refresh bool
}

func newModels(w world) *cobra.Command {
	var o modelsOptions
	cmd := &cobra.Command{
		Use:   "models [FILTER]",
		Short: "List models with context size, prices and reasoning levels",
		Long: `Lists the models of your endpoint, with details from the model catalog. Without an endpoint
it lists the catalog. Prices are USD per million tokens: input, output, cache read and cache
write. A narrow terminal shows fewer columns; --json has all of them.`,
		Args: cli.CountedArgs(0, 1, "at most one part of a model name (default: all models)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.filter = strings.ToLower(strings.Join(args, ""))
			if o.refresh {
				return w.refreshModels(cmd.Context(), o)
			}
			return listModels(cmd.Context(), w, o)
		},
	}
	o.register(cmd, w)
	cmd.Flags().BoolVar(&o.all, "all", false, "list the whole model catalog instead of the endpoint's models")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	cmd.Flags().BoolVar(&o.refresh, "refresh", false, "fetch a newer model list from models-url, and exit")
	return cmd
}

type modelRow struct {
	Provider  string           `json:"provider,omitempty"`
	ID        string           `json:"id"`
	Window    int              `json:"contextLimit,omitempty"`
	MaxOutput int              `json:"maxOutput,omitempty"`
	Prices    *settings.Prices `json:"prices,omitempty"`
	Efforts   []string         `json:"efforts,omitempty"`
	Images    bool             `json:"images"`
	// Family is the family of the model. It determines the edit tool and the hints in the prompt. Edits is
	// the format in which the model edits files.
	Family string `json:"family"`
	Edits  string `json:"edits"`
}

const modelsTimeout = 10 * time.Second

func listModels(ctx context.Context, w world, o modelsOptions) error {
	rows, err := modelRows(ctx, w, o)
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(r modelRow) bool {
		return !strings.Contains(strings.ToLower(r.Provider+"/"+r.ID), o.filter)
	})
	if len(rows) == 0 {
		err = o.noneError()
	}
	if o.json {
		return errors.Join(rawjson.WriteIndented(w.out, rows), err)
	}
	if err != nil {
		return err
	}
	return w.print(modelTable(rows, columns(w.stdout))...)
}

func (o modelsOptions) noneError() error {
	what, hint := "the endpoint lists no models", ""
	if o.filter != "" {
		what, hint = fmt.Sprintf("no model matches %q", o.filter), ". To list all, run: agent models"
	}
	if !o.all {
		hint += ". To search the whole catalog, add --all"
	}
	return errors.New(what + hint)
}

// modelRows returns the models of the endpoint, or the models of the catalog if there is no
// endpoint or --all is set.
func modelRows(ctx context.Context, w world, o modelsOptions) ([]modelRow, error) {
	if !o.all {
		f, s, err := w.configured(o.settingsOptions)
		if err != nil {
			return nil, err
		}
		c := w.process.Connect(s, f, nil)
		defer func() { _ = c.Close() }()
		endpoint, err := c.Endpoint()
		if err != nil {
			return nil, err
		}
		if endpoint.BaseURL != "" {
			if by := endpoint.CredentialText(); by != "" && !o.json {
				if err := w.tell("Models of " + endpoint.Host() + ", " + by + ":"); err != nil {
					return nil, err
				}
			}
			rows, err := offeredRows(ctx, c, endpoint)
			for i := range rows {
				family, _ := c.Family(rows[i].ID)
				rows[i].Family, rows[i].Edits = family.Name, string(app.EditFormatOf(s, family))
			}
			return rows, err
		}
		if err := w.tell("No endpoint is configured. This is the model catalog without resellers. To include them, add --all. To list the models of an endpoint, add --provider or --base-url."); err != nil {
			return nil, err
		}
	}
	return o.catalogueRows(), nil
}

// catalogueRows returns models of the catalog. Those of the provider that the filter names come first, then
// those of the other providers that --provider supports. With --all, the models of all other providers
// follow.
func (o modelsOptions) catalogueRows() []modelRow {
	names := map[string]string{}
	for _, name := range vendor.Names() {
		if known, _ := vendor.Named(name); known.Catalogue != "" && names[known.Catalogue] == "" {
			names[known.Catalogue] = name // keep the first name: chatgpt offers models of openai
		}
	}
	var filtered, named, others []modelRow
	for _, m := range catalogue.All() {
		row := catalogueRow(m, m.ID)
		name, known := names[m.Provider]
		row.Provider = cmp.Or(name, m.Provider)
		switch {
		case o.provider != "" && !strings.EqualFold(row.Provider, o.provider):
		case known && name == o.filter:
			filtered = append(filtered, row)
		case known:
			named = append(named, row)
		case o.all:
			others = append(others, row)
		}
	}
	return slices.Concat(filtered, named, others)
}

func offeredRows(ctx context.Context, c *provider.Connection, endpoint provider.Endpoint) ([]modelRow, error) {
	ctx, cancel := context.WithTimeout(ctx, modelsTimeout)
	defer cancel()
	offers, err := c.Models(ctx)
	if err != nil {
		return nil, err
	}
	var rows []modelRow
	for _, offer := range offers {
		row := modelRow{Provider: endpoint.Provider, ID: offer.ID}
		if m, found := catalogue.Lookup(endpoint.Vendor().Catalogue, offer.ID); found {
			row = catalogueRow(m, offer.ID)
			row.Provider = endpoint.Provider
		}
		if offer.ContextLimit > 0 {
			row.Window = offer.ContextLimit
		} else if row.Window == 0 {
			row.Window, _ = provider.ContextLimit(offer.ID)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func catalogueRow(m catalogue.Model, id string) modelRow {
	family, _ := vendor.Guess("", id)
	return modelRow{Provider: m.Provider, ID: id, Window: m.Window, MaxOutput: m.MaxOutput, Prices: m.Prices, Efforts: m.Efforts, Images: m.Images, Family: family.Name, Edits: string(app.FamilyEditFormat(family))}
}

var modelColumns = []table.Column{
	{Head: "provider", Priority: 4},
	{Head: "model", Priority: 5},
	{Head: "window", Priority: 3},
	{Head: "$ in/out/read/write", Priority: 2},
	{Head: "efforts", Priority: 0},
	{Head: "images", Priority: 0},
	{Head: "family, edits by", Priority: 1},
}

// modelTable formats models as a table of at most width columns, or of any width if width is 0.
func modelTable(models []modelRow, width int) []string {
	rows := make([][]string, len(models))
	for i, m := range models {
		window, images, family := "?", "no", ""
		if m.Window > 0 {
			window = humanize.Tokens(m.Window)
		}
		if m.Images {
			images = "yes"
		}
		if m.Family != "" { // the names are the values of the settings model-family and edit-tool
			family = m.Family + ", " + m.Edits
		}
		rows[i] = []string{m.Provider, humanize.Line(m.ID, 0), window, priceCell(m.Prices), strings.Join(m.Efforts, ","), images, family}
	}
	return table.Fit(modelColumns, rows, width)
}

func priceCell(p *settings.Prices) string {
	if p == nil {
		return "?"
	}
	const digits = 1e6 // rounds away the errors of converting a price per token to a price per million
	price := func(x float64) string { return strconv.FormatFloat(math.Round(x*digits)/digits, 'f', -1, 64) }
	four := func(in, out, read, write float64) string {
		return strings.Join([]string{price(in), price(out), price(read), price(write)}, " / ")
	}
	cell := four(p.Input, p.Output, p.CacheRead, p.CacheWrite)
	for _, s := range p.Steps {
		cell += ", above " + humanize.Tokens(s.Above) + " " + four(s.Input, s.Output, s.CacheRead, s.CacheWrite)
	}
	return cell
}
