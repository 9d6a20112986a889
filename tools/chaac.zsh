#compdef chaac
# zsh completion of chaac. Made by scripts/gencli from tools/commands.def.
_chaac() {
    local context state line
    local -a names
    _arguments -C '1: :->command' '*:: :->rest' && return
    case $state in
    command)
        names=(
            'run:runs a func; an INPUT is numbers (1,2,3), a file (@x.npy) or either with its parameter'\''s name in front (x=1,2,3)'
            'profile:a table of the kernels that the native engine makes of a func\: time, GFLOP/s and GB/s beside what this machine reaches'
            'build:writes a func as NAME.c and NAME.h for programs without an allocator or an operating system; flags after -- go to the compiler of a library'
            'ir:shows a func, as it is or after passes, or what its gradient keeps of loops; --c\: as C'
            'grad:writes the gradient of a func as IR; --c\: as C; of C files, with compiler flags after --\: what their directives ask for'
            'hlo:writes a func as StableHLO text, for JAX, XLA plugins, IREE'
            'cc:runs a C compiler, with the derivatives that the C files among its arguments ask for made and linked in'
            'cache:shows the compiled code that is kept on disk, checks every byte of it and removes what is damaged, or removes all'
            'check:compares derivatives and custom rules with differences of the values, at a random point'
            'draw:draws a func as a graph\: operations in rows by what they need, loops and branches as boxes'
            'explain:explains an error identifier (without one\: lists them), or what a func will do'
            'doctor:says what works here, what is missing, and what to install'
            'env:lists every CHAAC_* variable, its value and where that comes from'
            'train:trains a model on a CSV, npz or text file or on a folder of idx files; Ctrl-C saves, --resume goes on'
            'eval:loss and accuracy of a run of chaac train, on what it held out or on other data'
            'plot:draws the curves of logs of chaac train as SVG, several in one picture'
            'help:lists the commands, or says more of one'
        )
        _describe command names ;;
    rest)
        case $line[1] in
        run)
            _arguments '--func=[the func of the file; without it the last one]:value: ' \
                '--engine=[what runs it; `chaac doctor` lists the engines; without it $CHAAC_ENGINE, else native where a C compiler is found]:value: ' \
                '*--size[the value of a symbolic size, where no input says it]:value: ' \
                '*--input=[arrays of files, for the parameters in order or by name; as INPUTs they are @FILE.npy and NAME=@FILE.npy]:value: ' \
                '--pattern[inputs that are not given are filled with a fixed pattern]' \
                '--json[results as JSON]' \
                '--out=[results as FOLDER/NAME.npy instead]:value:_files -/' \
                '*:file:_files' ;;
        profile)
            _arguments '--func=[the func of the file; without it the last one]:value: ' \
                '*--size[the value of a symbolic size, where no input says it; inputs that are not given have a pattern]:value: ' \
                '*--input=[arrays of files, for the parameters in order or by name]:value: ' \
                '--runs=[how often it runs; without it 20]:value: ' \
                '--json[the same as JSON]' \
                '*:file:_files' ;;
        build)
            _arguments '--out=[what the files and the functions are called, with a folder in front or not; -o NAME does the same]:value: ' \
                '--func=[the func of the file; without it the last one]:value: ' \
                '*--size[the value of a symbolic size; each has to be given]:value: ' \
                '--update=[the result takes the place of the param, which is updated in place]:value: ' \
                '--heap=[memory for what grows while it runs\: tapes of loops without a known end]:value: ' \
                '--shared[NAME.so too, by $CHAAC_CC, else cc, gcc or clang; $CHAAC_TARGET\: for another machine]' \
                '*:file:_files' ;;
        ir)
            _arguments '--func=[the func of the file; without it the last one]:value: ' \
                '--after=[runs these passes before, in this order]:value:(inline composites fold simplify cse dce count fresh widen optimize)' \
                '--c[prints one C file that needs libc and libm only]' \
                '--kept[says what reverse mode keeps of each loop instead]' \
                '--wrt=[for --kept\: with respect to these parameters; without it all floating ones]:value: ' \
                '--policy=[how loops keep state for their reverse\: store, recompute, sqrt, revolve(n)]:value: ' \
                '*:file:_files' ;;
        grad)
            _arguments '--func=[the func of the file; without it the last one]:value: ' \
                '--wrt=[with respect to these parameters; without it all floating ones]:value: ' \
                '--mode=[which derivative; without it value-and-grad]:value:(value-and-grad gradient vjp jvp jacobian hessian hvp)' \
                '--policy=[how loops keep state for their reverse\: store, recompute, sqrt, revolve(n)]:value: ' \
                '--value[vjp and jvp\: the func'\''s results come first]' \
                '--c[prints one C file that needs libc and libm only]' \
                '--out=[C files\: where the derivatives are written; -o OUT.c does the same]:value: ' \
                '--depend=[C files\: where a rule for make goes that names every file read; -MD -MF DEPS too]:value: ' \
                '--header=[C files\: prototypes of the derivatives, for C and C++]:value: ' \
                '--lines[C files\: #line before what comes from a line of the files, for debuggers]' \
                '--check[C files\: fails when OUT.c is not what would be written]' \
                '--no-strict[C files\: what cannot be differentiated is a warning, and its definition fails when it is called]' \
                '--remarks[C files\: what is kept of each loop for the way back, and how much memory that takes]' \
                '--database=[C files\: flags come from FOLDER/compile_commands.json; -p FOLDER does the same]:value:_files -/' \
                '--diagnostics=[C files\: messages as JSON]:value: ' \
                '*:file:_files' ;;
        hlo)
            _arguments '--func=[the func of the file; without it the last one, of StableHLO text @main]:value: ' \
                '--after=[runs these passes before, in this order]:value:(inline composites fold simplify cse dce count fresh widen optimize)' \
                '*--size[the value of a symbolic size\: the text has none]:value: ' \
                '*--alias[result RESULT, counted from 0, may take the memory of parameter X]:value: ' \
                '--target=[who runs it\: how products of f32 ask for the highest precision]:value:(cpu cuda tpu metal)' \
                '--generic[the generic form, which every tool of MLIR reads]' \
                '--bare[funcs without a module around them]' \
                '--notes[what StableHLO text says and the func does not hold, a line each on the standard error stream]' \
                '--composites[composites as stablehlo.composite, not as what they consist of]' \
                '--optimized[what the compiler of the target'\''s PJRT plugin makes of it (bytes for the tools of XLA); its memory on the standard error stream]' \
                '*:file:_files' ;;
        cc)
            _arguments  ;;
        cache)
            _arguments '--json[list and verify\: as JSON]' ;;
        check)
            _arguments '--func=[the func of the file; without it the last one]:value: ' \
                '--wrt=[with respect to these parameters; without it all floating ones]:value: ' \
                '--mode=[reverse or forward mode; without it vjp]:value:(vjp jvp)' \
                '*--size[the value of a symbolic size]:value: ' \
                '--seed=[another random point]:value: ' \
                '--tolerance=[how far they may differ, relative to their size]:value: ' \
                '*:file:_files' ;;
        draw)
            _arguments '--func=[the func of the file; without it the last one]:value: ' \
                '--after=[runs these passes before, in this order]:value:(inline composites fold simplify cse dce count fresh widen optimize)' \
                '--format=[a picture, or text for Graphviz; without it svg]:value:(svg dot)' \
                '--out=[writes the file instead of standard output]:value:_files' \
                '*:file:_files' ;;
        explain)
            _arguments '--json[the page of an identifier, or the list of them, as JSON]' \
                '1:name:(out_of_memory limit cancelled argument shape_mismatch dtype_mismatch axis_mismatch rank attribute arity dims_undecided dim_overflow requires bounds dim_bounds not_differentiable gradient_scalar gradient_integer gradient_detached derivative_mismatch non_finite no_param unknown_op unknown_func unknown_name duplicate_name parse newer_version verify engine read_type not_realized capture_state capture_constant scope assign assign_lost use_after_release signature file file_format subprocess compiler unsupported internal replica_count replicas_differ jit_no_storage jit_const_input jit_duplicate_input jit_input_count jit_input_mismatch jit_var_unbound jit_var_range jit_var_list jit_var_conflict jit_var_foreign jit_empty jit_nested jit_busy jit_reset_in_body jit_read_in_capture jit_lazy_escape jit_capture_differs jit_not_captured jit_loaded jit_captured jit_body no_plugin plugin session_closed buffer_closed buffer_donated buffer_foreign device_argument device_program device_target device_memory device_state device_unsupported device_failed)' \
                '*:file:_files' ;;
        doctor)
            _arguments '--json[the same as JSON]' ;;
        env)
            _arguments '--json[the same as JSON]' ;;
        train)
            _arguments '--model=[what learns; FILE.ir\[\:FUNC\]\: a func of the batch and of what it learns]:value:(mlp cnn char-lm FILE.ir)' \
                '--data=[FILE.csv, FILE.npz with arrays x and y, a folder of idx files; for char-lm any file]:value:(FILE FOLDER)' \
                '--out=[checkpoints, log.jsonl and curves.svg come there]:value:_files -/' \
                '--target=[CSV\: the column to predict, by name or number; without it the last]:value: ' \
                '--loss=[without it cross-entropy of labels (whole numbers, --classes), mse of others]:value:(cross-entropy mse huber)' \
                '--classes=[labels are 0 to N - 1; without it as the data has them]:value: ' \
                '--hidden=[sizes\: of mlp'\''s layers (64), cnn'\''s channels (8,16), of char-lm (64)]:value: ' \
                '--activation=[between layers; without it relu]:value:(relu gelu silu tanh sigmoid)' \
                '--standardize[columns less their mean, by their deviation, over the rows learnt from]' \
                '--context=[char-lm\: bytes in a row; without it 32]:value: ' \
                '--holdout=[part of the rows that is measured, not learnt; without it 0.1]:value: ' \
                '--epochs=[how often all rows are gone through; without it 10]:value: ' \
                '--batch=[rows a step; without it 32]:value: ' \
                '--optimizer=[sgd, momentum, nesterov, adam, adamw, rmsprop, adagrad, adadelta, adamax, nadam, radam, lion, lamb; without it adam]:value: ' \
                '--lr=[the learning rate; without it 0.001]:value: ' \
                '--decay=[weight decay]:value: ' \
                '--no-decay=[parameters without weight decay\: names, prefixes, patterns, with commas between (*.bias)]:value: ' \
                '--clip=[gradients above this norm are scaled down to it]:value: ' \
                '--clip-value=[elements of gradients above this size are cut to it]:value: ' \
                '--accumulate=[batches whose mean gradient makes one update; without it 1]:value: ' \
                '--average=[moving averages of the parameters, near 1; they are what is measured]:value: ' \
                '--frozen=[parameters that do not learn\: names, prefixes, patterns, with commas between]:value: ' \
                '--compute=[forward and backward in this dtype; parameters and updates stay in f32]:value:(f16 bf16 f32 f64)' \
                '--schedule=[constant, cosine, linear, one-cycle, step\:STEPS,FACTOR, exponential\:FACTOR, polynomial\:POWER, restarts\:STEPS,GROWTH, cyclic\:STEPS,TOP, piecewise\:STEP,FACTOR,...; without it constant]:value: ' \
                '--warmup=[the rate grows from 0 before the schedule begins; in updates, as the schedule]:value: ' \
                '--patience=[stops after so many epochs without a better held-out loss]:value: ' \
                '--seed=[of weights, of what is held out, of the order; without it 0]:value: ' \
                '--engine=[what runs it; without it $CHAAC_ENGINE, else native where a C compiler is found]:value: ' \
                '--save-every=[saves within epochs too, not only at their ends]:value: ' \
                '--log-every=[steps a line of the log; without it 1]:value: ' \
                '--resume[goes on with the run in --out, equal to the bit]' ;;
        eval)
            _arguments '--data=[other data, all of its rows]:value:(FILE FOLDER)' \
                '--checkpoint=[a file of the run, or a path; without it checkpoint.safetensors]:value:_files' \
                '--json[the same as JSON]' \
                '*:file:_files' ;;
        plot)
            _arguments '--over=[what goes to the right; without it step]:value:(step seconds)' \
                '--title=[above the picture]:value: ' \
                '--out=[writes the file instead of standard output]:value:_files' \
                '*:file:_files' ;;
        help)
            _arguments '--json[every command with its options as JSON]' \
                '1:name:(run profile build ir grad hlo cc cache check draw explain doctor env train eval plot help)' ;;
        esac ;;
    esac
}
_chaac "$@"
