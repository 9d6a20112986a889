# bash completion of chaac. Made by scripts/gencli from tools/commands.def.
_chaac() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    local command=${COMP_WORDS[1]} option
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W 'run profile build ir grad hlo cc cache check draw explain doctor env train eval plot help --version --help' -- "$word"))
        return
    fi
    # bash breaks words at =, so --mode=v is three of them.
    option=$before
    if [ "$before" = = ]; then option=${COMP_WORDS[COMP_CWORD-2]}; fi
    if [ "$word" = = ]; then option=$before word=; fi
    case $command,$option in
    run,--func) :; return ;;
    run,--engine) :; return ;;
    run,--size) :; return ;;
    run,--input) :; return ;;
    run,--out) COMPREPLY=($(compgen -d -- "$word")); return ;;
    profile,--func) :; return ;;
    profile,--size) :; return ;;
    profile,--input) :; return ;;
    profile,--runs) :; return ;;
    build,--out) :; return ;;
    build,--func) :; return ;;
    build,--size) :; return ;;
    build,--update) :; return ;;
    build,--heap) :; return ;;
    ir,--func) :; return ;;
    ir,--after) COMPREPLY=($(compgen -W 'inline composites fold simplify cse dce count fresh widen optimize' -- "$word")); return ;;
    ir,--wrt) :; return ;;
    ir,--policy) :; return ;;
    grad,--func) :; return ;;
    grad,--wrt) :; return ;;
    grad,--mode) COMPREPLY=($(compgen -W 'value-and-grad gradient vjp jvp jacobian hessian hvp' -- "$word")); return ;;
    grad,--policy) :; return ;;
    grad,--out) :; return ;;
    grad,--depend) :; return ;;
    grad,--header) :; return ;;
    grad,--database) COMPREPLY=($(compgen -d -- "$word")); return ;;
    grad,--diagnostics) :; return ;;
    hlo,--func) :; return ;;
    hlo,--after) COMPREPLY=($(compgen -W 'inline composites fold simplify cse dce count fresh widen optimize' -- "$word")); return ;;
    hlo,--size) :; return ;;
    hlo,--alias) :; return ;;
    hlo,--target) COMPREPLY=($(compgen -W 'cpu cuda tpu metal' -- "$word")); return ;;
    check,--func) :; return ;;
    check,--wrt) :; return ;;
    check,--mode) COMPREPLY=($(compgen -W 'vjp jvp' -- "$word")); return ;;
    check,--size) :; return ;;
    check,--seed) :; return ;;
    check,--tolerance) :; return ;;
    draw,--func) :; return ;;
    draw,--after) COMPREPLY=($(compgen -W 'inline composites fold simplify cse dce count fresh widen optimize' -- "$word")); return ;;
    draw,--format) COMPREPLY=($(compgen -W 'svg dot' -- "$word")); return ;;
    draw,--out) COMPREPLY=($(compgen -f -- "$word")); return ;;
    train,--model) COMPREPLY=($(compgen -W 'mlp cnn char-lm FILE.ir' -- "$word")); return ;;
    train,--data) COMPREPLY=($(compgen -W 'FILE FOLDER' -- "$word")); return ;;
    train,--out) COMPREPLY=($(compgen -d -- "$word")); return ;;
    train,--target) :; return ;;
    train,--loss) COMPREPLY=($(compgen -W 'cross-entropy mse huber' -- "$word")); return ;;
    train,--classes) :; return ;;
    train,--hidden) :; return ;;
    train,--activation) COMPREPLY=($(compgen -W 'relu gelu silu tanh sigmoid' -- "$word")); return ;;
    train,--context) :; return ;;
    train,--holdout) :; return ;;
    train,--epochs) :; return ;;
    train,--batch) :; return ;;
    train,--optimizer) :; return ;;
    train,--lr) :; return ;;
    train,--decay) :; return ;;
    train,--no-decay) :; return ;;
    train,--clip) :; return ;;
    train,--clip-value) :; return ;;
    train,--accumulate) :; return ;;
    train,--average) :; return ;;
    train,--frozen) :; return ;;
    train,--compute) COMPREPLY=($(compgen -W 'f16 bf16 f32 f64' -- "$word")); return ;;
    train,--schedule) :; return ;;
    train,--warmup) :; return ;;
    train,--patience) :; return ;;
    train,--seed) :; return ;;
    train,--engine) :; return ;;
    train,--save-every) :; return ;;
    train,--log-every) :; return ;;
    eval,--data) COMPREPLY=($(compgen -W 'FILE FOLDER' -- "$word")); return ;;
    eval,--checkpoint) COMPREPLY=($(compgen -f -- "$word")); return ;;
    plot,--over) COMPREPLY=($(compgen -W 'step seconds' -- "$word")); return ;;
    plot,--title) :; return ;;
    plot,--out) COMPREPLY=($(compgen -f -- "$word")); return ;;
    esac
    case $command,$word in
    run,-*) COMPREPLY=($(compgen -W '--func= --engine= --size --input= --pattern --json --out=' -- "$word")) ;;
    run,*) COMPREPLY=($(compgen -f -- "$word")) ;;
    profile,-*) COMPREPLY=($(compgen -W '--func= --size --input= --runs= --json' -- "$word")) ;;
    profile,*) COMPREPLY=($(compgen -f -- "$word")) ;;
    build,-*) COMPREPLY=($(compgen -W '--out= --func= --size --update= --heap= --shared' -- "$word")) ;;
    build,*) COMPREPLY=($(compgen -f -- "$word")) ;;
    ir,-*) COMPREPLY=($(compgen -W '--func= --after= --c --kept --wrt= --policy=' -- "$word")) ;;
    ir,*) COMPREPLY=($(compgen -f -- "$word")) ;;
    grad,-*) COMPREPLY=($(compgen -W '--func= --wrt= --mode= --policy= --value --c --out= --depend= --header= --lines --check --no-strict --remarks --database= --diagnostics=' -- "$word")) ;;
    grad,*) COMPREPLY=($(compgen -f -- "$word")) ;;
    hlo,-*) COMPREPLY=($(compgen -W '--func= --after= --size --alias --target= --generic --bare --notes --composites --optimized' -- "$word")) ;;
    hlo,*) COMPREPLY=($(compgen -f -- "$word")) ;;
    cc,-*) COMPREPLY=($(compgen -W '' -- "$word")) ;;
    cache,-*) COMPREPLY=($(compgen -W '--json' -- "$word")) ;;
    check,-*) COMPREPLY=($(compgen -W '--func= --wrt= --mode= --size --seed= --tolerance=' -- "$word")) ;;
    check,*) COMPREPLY=($(compgen -f -- "$word")) ;;
    draw,-*) COMPREPLY=($(compgen -W '--func= --after= --format= --out=' -- "$word")) ;;
    draw,*) COMPREPLY=($(compgen -f -- "$word")) ;;
    explain,-*) COMPREPLY=($(compgen -W '--json' -- "$word")) ;;
    explain,*) COMPREPLY=($(compgen -W 'out_of_memory limit cancelled argument shape_mismatch dtype_mismatch axis_mismatch rank attribute arity dims_undecided dim_overflow requires bounds dim_bounds not_differentiable gradient_scalar gradient_integer gradient_detached derivative_mismatch non_finite no_param unknown_op unknown_func unknown_name duplicate_name parse newer_version verify engine read_type not_realized capture_state capture_constant scope assign assign_lost use_after_release signature file file_format subprocess compiler unsupported internal replica_count replicas_differ jit_no_storage jit_const_input jit_duplicate_input jit_input_count jit_input_mismatch jit_var_unbound jit_var_range jit_var_list jit_var_conflict jit_var_foreign jit_empty jit_nested jit_busy jit_reset_in_body jit_read_in_capture jit_lazy_escape jit_capture_differs jit_not_captured jit_loaded jit_captured jit_body no_plugin plugin session_closed buffer_closed buffer_donated buffer_foreign device_argument device_program device_target device_memory device_state device_unsupported device_failed' -f -- "$word")) ;;
    doctor,-*) COMPREPLY=($(compgen -W '--json' -- "$word")) ;;
    env,-*) COMPREPLY=($(compgen -W '--json' -- "$word")) ;;
    train,-*) COMPREPLY=($(compgen -W '--model= --data= --out= --target= --loss= --classes= --hidden= --activation= --standardize --context= --holdout= --epochs= --batch= --optimizer= --lr= --decay= --no-decay= --clip= --clip-value= --accumulate= --average= --frozen= --compute= --schedule= --warmup= --patience= --seed= --engine= --save-every= --log-every= --resume' -- "$word")) ;;
    eval,-*) COMPREPLY=($(compgen -W '--data= --checkpoint= --json' -- "$word")) ;;
    eval,*) COMPREPLY=($(compgen -f -- "$word")) ;;
    plot,-*) COMPREPLY=($(compgen -W '--over= --title= --out=' -- "$word")) ;;
    plot,*) COMPREPLY=($(compgen -f -- "$word")) ;;
    help,-*) COMPREPLY=($(compgen -W '--json' -- "$word")) ;;
    help,*) COMPREPLY=($(compgen -W 'run profile build ir grad hlo cc cache check draw explain doctor env train eval plot help' -- "$word")) ;;
    esac
    case ${COMPREPLY[0]-} in *=) compopt -o nospace ;; esac
}
complete -o filenames -F _chaac chaac
