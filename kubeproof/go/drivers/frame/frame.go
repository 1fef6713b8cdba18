// What every driver of kubeproof shares: a driver plays cases of operations on the code of this package, and writes
// what it observes after each operation. The package clause is that of the package that is driven.

package driver

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/ioutil"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// kpCase is the real component of one case.
type kpCase interface {
	// play performs an operation on the real code, and says what is observed after it.
	play(op json.RawMessage) (map[string]interface{}, kpNext)
	// observe says what is observed after an operation that was not performed.
	observe(op json.RawMessage) map[string]interface{}
}

// kpConfigured is a case that was played with another config than it was given.
type kpConfigured interface {
	config() json.RawMessage
}

// kpNext says how a case goes on.
type kpNext int

const (
	kpGoOn     kpNext = iota
	kpLeaveOut        // The operation cannot be played on this code: it is left out of the case.
	kpCut             // The case ends before this operation, since its answer depends on chance.
	kpEnd             // The case ends after this operation.
)

// kpInput is a line of operations.jsonl, but for the first.
type kpInput struct {
	Case   int               `json:"case"`
	Config json.RawMessage   `json:"config"`
	Ops    []json.RawMessage `json:"ops"`
}

// kpNotCalled has the operations of a case that end the process: what is observed in place of a call.
type kpNotCalled map[int]map[string]interface{}

const (
	kpOperations = "operations.jsonl"
	kpResults    = "results.jsonl"
	kpRunning    = "running" // Which case, and which of its operations, runs now.
	kpStderr     = "stderr"
	kpMostHangs  = 5
)

// kpRun plays the operations in the folder $KUBEPROOF_OUT, and writes results.jsonl there.
//
// The cases are played by a process of their own. If an operation ends this process, or does not answer within
// $KUBEPROOF_SECONDS (20), this is its observation, and another process goes on.
func kpRun(t *testing.T, begin func(config json.RawMessage) (kpCase, error)) {
	out := os.Getenv("KUBEPROOF_OUT")
	if out == "" {
		t.Skip("KUBEPROOF_OUT is not set: expected the folder that `kubeproof go record` wrote")
	}
	header, inputs, digest := kpRead(t, out)
	if from := os.Getenv("KUBEPROOF_FROM"); from != "" {
		kpPlayAll(t, out, header, inputs, from, begin)
		return
	}
	header["go"] = runtime.Version()
	header["sha256"] = digest
	if err := ioutil.WriteFile(filepath.Join(out, kpResults), kpLine(header), 0o644); err != nil {
		t.Fatal(err)
	}
	hangs, notCalled := 0, kpNotCalled{}
	end := map[string]interface{}{"end": len(inputs)}
	for from := 0; from < len(inputs); {
		index, operation, seen := kpChild(t, out, from, notCalled)
		if seen == nil {
			break
		}
		if index != from {
			from, notCalled = index, kpNotCalled{}
		}
		notCalled[operation] = seen
		kpKeep(t, out, from)
		if _, hung := seen["hang"]; hung {
			if hangs++; hangs == kpMostHangs {
				end = map[string]interface{}{"end": from, "stopped": fmt.Sprintf("%d operations did not answer", hangs)}
				t.Errorf("stopped: %d operations did not answer, the last is operation %d of case %d", hangs, operation, inputs[index].Case)
				break
			}
		}
	}
	kpAppend(t, out, kpLine(end))
	_ = os.Remove(filepath.Join(out, kpRunning))
	_ = os.Remove(filepath.Join(out, kpStderr))
}

// kpRead reads the operations: the first line is the header.
func kpRead(t *testing.T, out string) (map[string]interface{}, []kpInput, string) {
	data, err := ioutil.ReadFile(filepath.Join(out, kpOperations))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	header := map[string]interface{}{}
	if err := json.Unmarshal(lines[0], &header); err != nil {
		t.Fatalf("%s: line 1: %v", kpOperations, err)
	}
	inputs := make([]kpInput, len(lines)-1)
	for i, line := range lines[1:] {
		if err := json.Unmarshal(line, &inputs[i]); err != nil {
			t.Fatalf("%s: line %d: %v", kpOperations, i+2, err)
		}
	}
	sum := sha256.Sum256(data)
	return header, inputs, hex.EncodeToString(sum[:])
}

// kpChild plays the cases from the index `from` on in a process of its own. If an operation ends this process, it
// returns the index of the case, the operation, and what is observed in place of the call; else nil.
func kpChild(t *testing.T, out string, from int, notCalled kpNotCalled) (int, int, map[string]interface{}) {
	running := filepath.Join(out, kpRunning)
	_ = os.Remove(running)
	skip, err := json.Marshal(notCalled)
	if err != nil {
		t.Fatal(err)
	}
	errors, err := os.Create(filepath.Join(out, kpStderr))
	if err != nil {
		t.Fatal(err)
	}
	defer errors.Close()
	child := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.timeout", "0")
	child.Env = append(os.Environ(), "KUBEPROOF_FROM="+strconv.Itoa(from), "KUBEPROOF_NOT_CALLED="+string(skip))
	child.Stdout, child.Stderr = errors, errors
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	limit := kpSeconds()
	last, since := "", time.Now()
	for {
		select {
		case err := <-ended:
			if err == nil {
				return 0, 0, nil
			}
			index, operation := kpWhere(t, out, err)
			return index, operation, kpEndOfProcess(out, child.ProcessState.ExitCode())
		case <-time.After(50 * time.Millisecond):
		}
		now, _ := ioutil.ReadFile(running)
		if string(now) != last {
			last, since = string(now), time.Now()
		} else if last != "" && time.Since(since) > limit {
			_ = child.Process.Kill()
			index, operation := kpWhere(t, out, <-ended)
			return index, operation, map[string]interface{}{"hang": true}
		}
	}
}

func kpSeconds() time.Duration {
	if seconds, err := strconv.Atoi(os.Getenv("KUBEPROOF_SECONDS")); err == nil {
		return time.Duration(seconds) * time.Second
	}
	return 20 * time.Second
}

// kpWhere says which case and which operation ran when the process ended.
func kpWhere(t *testing.T, out string, ended error) (int, int) {
	var index, operation int
	data, _ := ioutil.ReadFile(filepath.Join(out, kpRunning))
	if _, err := fmt.Sscanf(string(data), "%d %d", &index, &operation); err != nil {
		said, _ := ioutil.ReadFile(filepath.Join(out, kpStderr))
		t.Fatalf("%v, while no operation ran\n%s", ended, said)
	}
	return index, operation
}

// kpEndOfProcess says what is observed of an operation that ended the process: a panic in a goroutine of the real code
// and a fatal error of Go have a text, klog's Fatal and Exit are `fatal`.
func kpEndOfProcess(out string, status int) map[string]interface{} {
	file, err := os.Open(filepath.Join(out, kpStderr))
	if err == nil && status == 2 {
		defer file.Close()
		for lines := bufio.NewScanner(file); lines.Scan(); {
			for _, start := range []string{"panic: ", "fatal error: "} {
				if strings.HasPrefix(lines.Text(), start) {
					return map[string]interface{}{"panic": strings.TrimPrefix(lines.Text(), start)}
				}
			}
		}
	}
	return map[string]interface{}{"fatal": true}
}

// kpPlayAll plays the cases from the index `from` on, and appends each to the results.
func kpPlayAll(t *testing.T, out string, header map[string]interface{}, inputs []kpInput, from string, begin func(json.RawMessage) (kpCase, error)) {
	first, err := strconv.Atoi(from)
	if err != nil {
		t.Fatal(err)
	}
	// One goroutine at a time: if one of the real code ends the process, the operation that started it is running still.
	runtime.GOMAXPROCS(1)
	notCalled := kpNotCalled{}
	if err := json.Unmarshal([]byte(os.Getenv("KUBEPROOF_NOT_CALLED")), &notCalled); err != nil {
		t.Fatal(err)
	}
	running, err := os.Create(filepath.Join(out, kpRunning))
	if err != nil {
		t.Fatal(err)
	}
	for i := first; i < len(inputs); i++ {
		input := inputs[i]
		played, err := begin(input.Config)
		if err != nil {
			t.Fatalf("case %d: %v", input.Case, err)
		}
		say := func(operation int) {
			if _, err := running.WriteAt([]byte(fmt.Sprintf("%-9d %-9d\n", i, operation)), 0); err != nil {
				t.Fatal(err)
			}
		}
		ops, observed := kpPlayCase(input, played, notCalled, say)
		notCalled = nil
		config := input.Config
		if configured, ok := played.(kpConfigured); ok {
			config = configured.config()
		}
		kpAppend(t, out, kpLine(map[string]interface{}{
			"system": header["component"], "case": input.Case, "config": config, "ops": ops, "observed": observed,
		}))
	}
}

// kpPlayCase plays one case: the operations that were played, and what was observed after each.
func kpPlayCase(input kpInput, played kpCase, notCalled kpNotCalled, say func(int)) ([]json.RawMessage, []map[string]interface{}) {
	ops, observed := []json.RawMessage{}, []map[string]interface{}{}
	for i, op := range input.Ops {
		say(i)
		instead, ends := notCalled[i]
		if ends {
			if _, fatal := instead["fatal"]; !fatal {
				return append(ops, op), append(observed, instead)
			}
			seen := played.observe(op)
			seen["fatal"] = true
			ops, observed = append(ops, op), append(observed, seen)
			continue
		}
		seen, next := kpPlay(played, op)
		switch next {
		case kpLeaveOut:
		case kpCut:
			return ops, observed
		case kpEnd:
			return append(ops, op), append(observed, seen)
		default:
			ops, observed = append(ops, op), append(observed, seen)
		}
	}
	return ops, observed
}

// kpPlay plays one operation; a panic of the real code is its observation and ends the case.
func kpPlay(played kpCase, op json.RawMessage) (seen map[string]interface{}, next kpNext) {
	defer func() {
		if text := recover(); text != nil {
			seen, next = map[string]interface{}{"panic": fmt.Sprint(text)}, kpEnd
		}
	}()
	seen, next = played.play(op)
	runtime.Gosched() // Goroutines that the operation started run now.
	return seen, next
}

func kpLine(value interface{}) []byte {
	line, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return append(line, '\n')
}

func kpAppend(t *testing.T, out string, line []byte) {
	file, err := os.OpenFile(filepath.Join(out, kpResults), os.O_APPEND|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = file.Write(line)
	}
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// kpKeep keeps the header and so many cases of the results: the case that runs may have been written already, when a
// goroutine of its last operation ended the process.
func kpKeep(t *testing.T, out string, cases int) {
	path := filepath.Join(out, kpResults)
	data, err := ioutil.ReadFile(path)
	if err == nil {
		lines := bytes.SplitAfter(data, []byte("\n"))
		err = ioutil.WriteFile(path, bytes.Join(lines[:cases+1], nil), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// kpError is the observed form of an error: its text, or null.
func kpError(err error) interface{} {
	if err == nil {
		return nil
	}
	return err.Error()
}
