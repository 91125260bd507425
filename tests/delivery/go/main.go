// What the real readers of charts and monitors make of ours: helm's engine and linter, and the Prometheus operator's type.
// (The whole of helm takes twice as long to build, most of it for clusters that there are none of here.)
//
//	delivery chart DIR RELEASE NAMESPACE KUBERNETES-VERSION < values: lints as `helm lint --strict`, and writes what
//	    `helm template` would
//	delivery monitor < manifest: whether it is a ServiceMonitor, and nothing in it is unknown
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"sort"
	"strings"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	"sigs.k8s.io/yaml"
)

func main() {
	input, err := io.ReadAll(os.Stdin)
	switch {
	case err != nil:
	case len(os.Args) == 6 && os.Args[1] == "chart":
		err = chart(os.Args[2], os.Args[3], os.Args[4], os.Args[5], input)
	case len(os.Args) == 2 && os.Args[1] == "monitor":
		err = yaml.UnmarshalStrict(input, &monitoring.ServiceMonitor{})
	default:
		err = errors.New("usage: delivery chart DIR RELEASE NAMESPACE KUBERNETES-VERSION, or delivery monitor")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func chart(dir, release, namespace, version string, input []byte) error {
	values, err := chartutil.ReadValues(input)
	if err != nil {
		return err
	}
	kubernetes, err := chartutil.ParseKubeVersion(version)
	if err != nil {
		return err
	}
	for _, message := range lint.AllWithKubeVersion(dir, values, namespace, kubernetes).Messages {
		if message.Severity > support.InfoSev {
			err = errors.Join(err, message)
		}
	}
	if err != nil {
		return err
	}
	loaded, err := loader.Load(dir)
	if err != nil {
		return err
	}
	options := chartutil.ReleaseOptions{Name: release, Namespace: namespace, Revision: 1, IsInstall: true}
	capabilities := chartutil.DefaultCapabilities.Copy()
	capabilities.KubeVersion = *kubernetes
	all, err := chartutil.ToRenderValues(loaded, values, options, capabilities)
	if err != nil {
		return err
	}
	files, err := engine.Engine{Strict: true}.Render(loaded, all)
	if err != nil {
		return err
	}
	names := make([]string, 0, len(files))
	for name, text := range files {
		if path.Ext(name) != ".tpl" && path.Ext(name) != ".txt" && strings.TrimSpace(text) != "" {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Printf("---\n# Source: %s\n%s\n", name, files[name])
	}
	return nil
}
