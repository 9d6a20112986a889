module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x7xf32>) -> (tensor<2xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) across dimensions = [1] : (tensor<2x7xf32>, tensor<f32>) -> tensor<2xf32>
     reducer(%arg1: tensor<f32>, %arg2: tensor<f32>)  {
      %1 = stablehlo.abs %arg1 : tensor<f32>
      %2 = stablehlo.abs %arg2 : tensor<f32>
      %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %3 = stablehlo.multiply %cst_0, %2 : tensor<f32>
      %4 = stablehlo.add %1, %3 : tensor<f32>
      stablehlo.return %4 : tensor<f32>
    }
    return %0 : tensor<2xf32>
  }
}
