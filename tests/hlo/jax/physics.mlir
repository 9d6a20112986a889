module @jit_springs attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<6xf32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0, %iterArg_1 = %arg1) : tensor<i32>, tensor<6xf32>, tensor<6xf32>
    cond {
      %c_2 = stablehlo.constant dense<50> : tensor<i32>
      %9 = stablehlo.compare LT, %iterArg, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    } do {
      %9 = stablehlo.slice %iterArg_0 [1:6] : (tensor<6xf32>) -> tensor<5xf32>
      %10 = stablehlo.slice %iterArg_0 [0:5] : (tensor<6xf32>) -> tensor<5xf32>
      %11 = stablehlo.subtract %9, %10 : tensor<5xf32>
      %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %13 = stablehlo.subtract %11, %12 : tensor<5xf32>
      %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %14 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %15 = stablehlo.multiply %14, %13 : tensor<5xf32>
      %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %16 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %17 = stablehlo.concatenate %15, %16, dim = 0 : (tensor<5xf32>, tensor<1xf32>) -> tensor<6xf32>
      %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %18 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %19 = stablehlo.concatenate %18, %15, dim = 0 : (tensor<1xf32>, tensor<5xf32>) -> tensor<6xf32>
      %20 = stablehlo.subtract %17, %19 : tensor<6xf32>
      %cst_6 = stablehlo.constant dense<0.00999999977> : tensor<f32>
      %21 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %22 = stablehlo.multiply %21, %20 : tensor<6xf32>
      %23 = stablehlo.add %iterArg_1, %22 : tensor<6xf32>
      %cst_7 = stablehlo.constant dense<0.00999999977> : tensor<f32>
      %24 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %25 = stablehlo.multiply %24, %23 : tensor<6xf32>
      %26 = stablehlo.add %iterArg_0, %25 : tensor<6xf32>
      %c_8 = stablehlo.constant dense<1> : tensor<i32>
      %27 = stablehlo.add %iterArg, %c_8 : tensor<i32>
      stablehlo.return %27, %26, %23 : tensor<i32>, tensor<6xf32>, tensor<6xf32>
    }
    %1 = stablehlo.multiply %0#2, %0#2 : tensor<6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %3 = stablehlo.slice %0#1 [5:6] : (tensor<6xf32>) -> tensor<1xf32>
    %4 = stablehlo.reshape %3 : (tensor<1xf32>) -> tensor<f32>
    %5 = stablehlo.slice %0#1 [0:1] : (tensor<6xf32>) -> tensor<1xf32>
    %6 = stablehlo.reshape %5 : (tensor<1xf32>) -> tensor<f32>
    %7 = stablehlo.subtract %4, %6 : tensor<f32>
    %8 = stablehlo.add %2, %7 : tensor<f32>
    return %8, %0#1 : tensor<f32>, tensor<6xf32>
  }
}
