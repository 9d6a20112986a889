module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x5xf32>, %arg1: tensor<4x2xf32>) -> (tensor<4x5xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %cst) <{padding = dense<[[1, 0], [0, 1]]> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %1 = stablehlo.subtract %arg2, %cst_0 : tensor<f32>
      %2 = stablehlo.abs %1 : tensor<f32>
      %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %3 = stablehlo.subtract %arg3, %cst_1 : tensor<f32>
      %4 = stablehlo.abs %3 : tensor<f32>
      %5 = stablehlo.compare GE, %2, %4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    }, {
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %1 = stablehlo.multiply %arg2, %cst_0 : tensor<f32>
      %2 = stablehlo.add %1, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<4x5xf32>, tensor<4x2xf32>, tensor<f32>) -> tensor<4x5xf32>
    return %0 : tensor<4x5xf32>
  }
}
