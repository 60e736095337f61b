package cluster

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// A remote runner starts a worker by a command, which asks the runner what to run. Beam's own boot command
// downloads a copy of the program for every worker and leaves it behind. Here the command is this program
// itself, and it becomes the worker: nothing is copied, and a killed process leaves nothing.

const (
	bootVariable   = "THRESH_CLUSTER_BOOT"   // set in the environment of the boot command
	workerVariable = "THRESH_CLUSTER_WORKER" // set in the environment of the worker
)

// Worker runs the process as a worker or a boot command, if its environment says so. It then does not return,
// unless that fails.
func Worker(args []string) (is bool, err error) {
	switch {
	case os.Getenv(workerVariable) != "":
		if err := flag.CommandLine.Parse(args); err != nil {
			return true, err
		}
		beam.Init() // the harness ends the process
		return true, fmt.Errorf("the worker %q ended at once", args)
	case os.Getenv(bootVariable) != "":
		return true, boot(args)
	}
	return false, nil
}

// boot asks the runner for what the worker must know, and becomes the worker.
func boot(args []string) error {
	flags := flag.NewFlagSet("boot", flag.ContinueOnError)
	id := flags.String("id", "", "")
	logging := flags.String("logging_endpoint", "", "")
	provision := flags.String("provision_endpoint", "", "")
	control := flags.String("control_endpoint", "", "")
	flags.String("artifact_endpoint", "", "")
	flags.String("semi_persist_dir", "", "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	info, err := tools.ProvisionInfo(grpcx.WriteWorkerID(context.Background(), *id), *provision)
	if err != nil {
		return fmt.Errorf("ask %s what to run: %w", *provision, err)
	}
	if *logging == "" {
		*logging = info.GetLoggingEndpoint().GetUrl()
	}
	if *control == "" {
		*control = info.GetControlEndpoint().GetUrl()
	}
	options, err := tools.ProtoToJSON(info.GetPipelineOptions())
	if err != nil {
		return fmt.Errorf("read the options of the pipeline: %w", err)
	}
	environment := append(os.Environ(), workerVariable+"=1",
		"RUNNER_CAPABILITIES="+strings.Join(info.GetRunnerCapabilities(), " "))
	if s := info.GetStatusEndpoint(); s != nil {
		environment = append(environment, "STATUS_ENDPOINT="+s.GetUrl())
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return become(self, []string{self, "--worker=true", "--id=" + *id, "--logging_endpoint=" + *logging,
		"--control_endpoint=" + *control, "--options=" + options}, environment)
}
