module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8xf32>) -> (tensor<8xf32> {jax.result_info = "result[0]"}, tensor<8xf32> {jax.result_info = "result[1]"}, tensor<8xf32> {jax.result_info = "result[2]"}, tensor<8xf32> {jax.result_info = "result[3]"}, tensor<8xf32> {jax.result_info = "result[4]"}, tensor<8xf32> {jax.result_info = "result[5]"}, tensor<8xf32> {jax.result_info = "result[6]"}, tensor<8xf32> {jax.result_info = "result[7]"}, tensor<8xi1> {jax.result_info = "result[8]"}, tensor<8xi1> {jax.result_info = "result[9]"}, tensor<8xi32> {jax.result_info = "result[10]"}, tensor<8xf32> {jax.result_info = "result[11]"}, tensor<8xf32> {jax.result_info = "result[12]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<8xf32>) -> tensor<8xf8E4M3FN>
    %1 = stablehlo.convert %0 : (tensor<8xf8E4M3FN>) -> tensor<8xf32>
    %2 = stablehlo.convert %arg0 : (tensor<8xf32>) -> tensor<8xf8E5M2>
    %3 = stablehlo.convert %2 : (tensor<8xf8E5M2>) -> tensor<8xf32>
    %4 = stablehlo.convert %arg0 : (tensor<8xf32>) -> tensor<8xf16>
    %5 = stablehlo.convert %4 : (tensor<8xf16>) -> tensor<8xf32>
    %6 = stablehlo.convert %arg0 : (tensor<8xf32>) -> tensor<8xbf16>
    %7 = stablehlo.convert %6 : (tensor<8xbf16>) -> tensor<8xf32>
    %8 = call @round(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %9 = stablehlo.round_nearest_afz %arg0 : tensor<8xf32>
    %10 = call @trunc(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %11 = stablehlo.negate %arg0 : tensor<8xf32>
    %12 = chlo.next_after %arg0, %11 : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
    %13 = call @signbit(%arg0) : (tensor<8xf32>) -> tensor<8xi1>
    %14 = call @isinf(%arg0) : (tensor<8xf32>) -> tensor<8xi1>
    %15 = stablehlo.bitcast_convert %arg0 : (tensor<8xf32>) -> tensor<8xi32>
    %16 = stablehlo.bitcast_convert %arg0 : (tensor<8xf32>) -> tensor<8x4xui8>
    %17 = stablehlo.bitcast_convert %16 : (tensor<8x4xui8>) -> tensor<8xf32>
    %18 = stablehlo.reduce_precision %arg0, format = e5m10 : tensor<8xf32>
    return %1, %3, %5, %7, %8, %9, %10, %12, %13, %14, %15, %17, %18 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xi1>, tensor<8xi1>, tensor<8xi32>, tensor<8xf32>, tensor<8xf32>
  }
  func.func private @round(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @trunc(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %1 = stablehlo.compare LT, %arg0, %0, FLOAT : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %2 = stablehlo.ceil %arg0 : tensor<8xf32>
    %3 = stablehlo.floor %arg0 : tensor<8xf32>
    %4 = call @_where(%1, %2, %3) : (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    return %4 : tensor<8xf32>
  }
  func.func private @_where(%arg0: tensor<8xi1>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<8xi1>, tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @signbit(%arg0: tensor<8xf32>) -> tensor<8xi1> {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<8xf32>) -> tensor<8xi32>
    %c = stablehlo.constant dense<31> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %2 = stablehlo.shift_right_arithmetic %0, %1 : tensor<8xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %4 = stablehlo.compare NE, %2, %3, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %5 = stablehlo.convert %4 : tensor<8xi1>
    return %5 : tensor<8xi1>
  }
  func.func private @isinf(%arg0: tensor<8xf32>) -> tensor<8xi1> {
    %0 = stablehlo.abs %arg0 : tensor<8xf32>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %2 = stablehlo.compare EQ, %0, %1, FLOAT : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    return %2 : tensor<8xi1>
  }
}
