package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/grpc"
)

// Runner runs pipelines.
type Runner struct {
	jobs     jobpb.JobServiceClient
	remote   *grpc.ClientConn    // nil for the embedded runner
	workers  *extworker.Loopback // of the embedded runner
	boot     []byte              // how a remote runner starts a worker
	parallel int
}

// The environments in which workers run, as Beam names them.
const (
	inProcess    = "beam:env:external:v1"
	ownProcess   = "beam:env:process:v1"
	dialPatience = time.Minute
)

// Embedded returns the runner that is a part of this program. Its workers are goroutines.
//
// It lasts as long as the process, and so does the service that starts its workers: Prism may ask for a worker after
// a job was cancelled, and it panics if nobody answers. The workers themselves end with their job.
func Embedded(ctx context.Context) (*Runner, error) {
	jobs, err := prism.CreateJobServer(ctx, prism.Options{})
	if err != nil {
		return nil, fmt.Errorf("start the embedded runner: %w", err)
	}
	workers, err := extworker.StartLoopback(context.WithoutCancel(ctx), 0)
	if err != nil {
		return nil, fmt.Errorf("start workers: %w", err)
	}
	return &Runner{jobs: jobs, workers: workers}, nil
}

// Remote returns the runner behind a job server. Its machines start workers with command, which is this program
// under the path that it has there. Parallel is how many workers it should use; 0 leaves that to the runner.
func Remote(ctx context.Context, endpoint, command string, parallel int) (*Runner, error) {
	environment := map[string]string{bootVariable: "1"}
	boot, err := json.Marshal(map[string]any{"command": command, "env": environment})
	if err != nil {
		return nil, err
	}
	conn, err := grpcx.Dial(ctx, endpoint, dialPatience)
	if err != nil {
		return nil, fmt.Errorf("reach the job server %s: %w", endpoint, err)
	}
	return &Runner{jobs: jobpb.NewJobServiceClient(conn), remote: conn, boot: boot, parallel: parallel}, nil
}

// Close ends the connection to the job server.
func (r *Runner) Close() error {
	if r.remote == nil {
		return nil
	}
	return r.remote.Close()
}

// run runs a pipeline to its end. If the context ends, the job is cancelled, and the error is the context's.
func (r *Runner) run(ctx context.Context, name string, p *beam.Pipeline) error {
	edges, _, err := p.Build()
	if err != nil {
		return fmt.Errorf("build the pipeline: %w", err)
	}
	urn, config := ownProcess, func(context.Context) string { return string(r.boot) }
	if r.remote == nil {
		urn, config = inProcess, r.workers.EnvironmentConfig
	}
	environment, err := graphx.CreateEnvironment(ctx, urn, config)
	if err != nil {
		return fmt.Errorf("describe the workers: %w", err)
	}
	environment.Dependencies = nil // workers need no file from the driver, see boot.go
	pipeline, err := graphx.Marshal(edges, &graphx.Options{Environment: environment})
	if err != nil {
		return fmt.Errorf("encode the pipeline: %w", err)
	}
	options := &runnerlib.JobOptions{Name: name, Loopback: r.remote == nil, Parallelism: -1}
	if r.parallel > 0 {
		options.Parallelism = r.parallel
	}
	prepared, artifacts, session, err := runnerlib.Prepare(ctx, r.jobs, pipeline, options)
	if err != nil {
		return err
	}
	token := ""
	if r.remote != nil {
		if token, err = runnerlib.Stage(ctx, prepared, artifacts, "", session); err != nil {
			return err
		}
	}
	id, err := runnerlib.Submit(ctx, r.jobs, prepared, token)
	if err != nil {
		return err
	}
	return r.wait(ctx, id)
}

// wait waits for the end of a job.
func (r *Runner) wait(ctx context.Context, id string) error {
	stay := context.WithoutCancel(ctx)
	stop := context.AfterFunc(ctx, func() {
		patient, cancel := context.WithTimeout(stay, cancelPatience)
		defer cancel()
		_, _ = r.jobs.Cancel(patient, &jobpb.CancelJobRequest{JobId: id}) // the state below tells whether it worked
	})
	defer stop()
	limited, cancel := context.WithCancel(stay)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(cancelPatience, cancel) })()
	err := runnerlib.WaitForCompletion(limited, r.jobs, id)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	state, err := r.jobs.GetState(ctx, &jobpb.GetJobStateRequest{JobId: id})
	if err != nil {
		return fmt.Errorf("ask for the state of the job: %w", err)
	}
	if state.GetState() != jobpb.JobState_DONE {
		return fmt.Errorf("the job ended as %v", state.GetState())
	}
	return nil
}

// cancelPatience is how long a cancelled job may take to end.
const cancelPatience = 20 * time.Second
