package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/fetch"
	"agent/internal/provider"
	"agent/internal/provider/catalogue"
	"agent/internal/settings"
)

// refreshTime limits the time to fetch a newer list of models.
const refreshTime = 10 * time.Second

var errNoModelsURL = errors.New("can't refresh the model list: models-url is not set. Run: agent models --refresh --set models-url=https://HOST/models.tsv")

// refreshModels fetches a newer list of models into the state folder. The digest of the list is at the same
// address with the suffix .sha256.
func (w world) refreshModels(ctx context.Context, o modelsOptions) error {
	f, s, err := w.configured(o.settingsOptions)
	if err != nil {
		return err
	}
	address, set := settings.ModelsURL.Get(s)
	if !set {
		return errNoModelsURL
	}
	text, err := fetchModels(ctx, address)
	if err != nil {
		return fmt.Errorf("can't refresh the model list: %w", err)
	}
	kept, dropped, day, err := catalogue.CleanList(text)
	if err != nil {
		return fmt.Errorf("can't refresh the model list: %s is not a model list: %w", address, err)
	}
	for _, line := range dropped {
		if err := w.tell("Left out: " + humanize.Line(line, 200)); err != nil {
			return err
		}
	}
	if !day.After(catalogue.ListDate()) {
		return w.print("The model list is up to date: the list at " + address + " is not newer than the one in use (" + catalogue.ListDate().Format(time.DateOnly) + ").")
	}
	if err := os.MkdirAll(f.State, 0o700); err != nil {
		return fsutil.Reason(err)
	}
	if err := fsutil.Replace(filepath.Join(f.State, catalogue.File), []byte(kept), 0o600); err != nil {
		return fsutil.Reason(err)
	}
	return w.print("The model list is now from " + day.Format(time.DateOnly) + ": " + humanize.Count(strings.Count(kept, "\n")-1, "model") + ".")
}

// fetchModels returns the list at an address. It returns an error if the list does not match its digest.
func fetchModels(ctx context.Context, address string) (string, error) {
	if err := provider.CheckPlainHTTP(address); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, refreshTime)
	defer cancel()
	var bodies [2][]byte
	for i, at := range []string{address, address + ".sha256"} {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
		if err != nil {
			return "", err
		}
		reply, err := fetch.Do(ctx, request, true, catalogue.MaxSize)
		if err != nil {
			return "", err
		}
		if reply.Status != http.StatusOK {
			return "", fmt.Errorf("%s answered with status %d", at, reply.Status)
		}
		bodies[i] = reply.Body
	}
	sum := sha256.Sum256(bodies[0])
	wanted, _, _ := strings.Cut(strings.TrimSpace(string(bodies[1])), " ")
	if !strings.EqualFold(wanted, hex.EncodeToString(sum[:])) {
		return "", errors.New("the list does not match the digest at " + address + ".sha256")
	}
	return string(bodies[0]), nil
}
