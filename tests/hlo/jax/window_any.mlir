module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<7xi1>) -> (tensor<5xi1> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<false> : tensor<i1>
    %0 = "stablehlo.reduce_window"(%arg0, %c) <{base_dilations = array<i64: 1>, padding = dense<[[0, 1]]> : tensor<1x2xi64>, window_dilations = array<i64: 3>, window_dimensions = array<i64: 2>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<i1>, %arg2: tensor<i1>):
      %1 = stablehlo.or %arg1, %arg2 : tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<7xi1>, tensor<i1>) -> tensor<5xi1>
    return %0 : tensor<5xi1>
  }
}
