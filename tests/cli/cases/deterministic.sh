# SPDX-License-Identifier: Apache-2.0
# CHAAC_DETERMINISTIC=1: the same bits with any number of threads: products, convolutions, sums over rows and columns.
cat > work.ir <<'END'
chaac-ir 1
func @work(%x: f32[n,300], %w: f32[300,200], %i: f32[9,4,20,20], %k: f32[8,4,3,3])
    -> (f32[n,200], f32[200], f32[], f32[9,8,18,18]) {
  %y = dot %x, %w {contract = [1]x[0], order = any} : f32[n,200]
  %e = sin %y : f32[n,200]
  %c = reduce %e {kind = sum, dims = [0], order = any} : f32[200]
  %s = reduce %e {kind = sum, dims = [0,1], order = any} : f32[]
  %v = conv %i, %k {order = any} : f32[9,8,18,18]
  return %e, %c, %s, %v
}
END
# Where sanitizers are built in, the one for leaks itself crashes on the thread-local memory that a BLAS, opened at run
# time, has in threads that still run. Leaks are looked for by the other cases.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"
export CHAAC_DETERMINISTIC=1
for threads in 1 2 3 5; do
    CHAAC_NUM_THREADS=$threads chaac run work.ir --engine=native --size n=700 --pattern --json > out.$threads || exit 1
    cmp out.1 out.$threads && echo "$threads: $(wc -l < out.$threads) lines"
done
