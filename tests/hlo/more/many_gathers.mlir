module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x5x4xf32>, %arg1: tensor<7xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}) {
    %0 = call @_take(%arg0, %arg1) : (tensor<3x5x4xf32>, tensor<7xi32>) -> tensor<3x7x4xf32>
    %1 = call @_take_0(%arg0, %arg1) : (tensor<3x5x4xf32>, tensor<7xi32>) -> tensor<3x7x4xf32>
    %2 = call @_take_1(%arg0, %arg1) : (tensor<3x5x4xf32>, tensor<7xi32>) -> tensor<3x7x4xf32>
    %c = stablehlo.constant dense<3> : tensor<i32>
    %3 = call @remainder_3(%arg1, %c) : (tensor<7xi32>, tensor<i32>) -> tensor<7xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %5 = stablehlo.compare LT, %3, %4, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_1 = stablehlo.constant dense<3> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %7 = stablehlo.add %3, %6 : tensor<7xi32>
    %8 = stablehlo.select %5, %7, %3 : tensor<7xi1>, tensor<7xi32>
    %c_2 = stablehlo.constant dense<3> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %10 = stablehlo.convert %9 : tensor<7xi32>
    %11 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<7xi32>) -> tensor<7x1xi32>
    %12 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<7xi32>) -> tensor<7x1xi32>
    %13 = stablehlo.concatenate %11, %12, dim = 1 : (tensor<7x1xi32>, tensor<7x1xi32>) -> tensor<7x2xi32>
    %14 = "stablehlo.gather"(%arg0, %13) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 2], start_index_map = [0, 2], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 5, 1>}> : (tensor<3x5x4xf32>, tensor<7x2xi32>) -> tensor<7x5xf32>
    %15 = stablehlo.slice %arg0 [0:1, 0:5, 0:4] : (tensor<3x5x4xf32>) -> tensor<1x5x4xf32>
    %16 = stablehlo.reshape %15 : (tensor<1x5x4xf32>) -> tensor<5x4xf32>
    %17 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<7xi32>) -> tensor<1x7xi32>
    %c_3 = stablehlo.constant dense<5> : tensor<i32>
    %18 = call @remainder_4(%17, %c_3) : (tensor<1x7xi32>, tensor<i32>) -> tensor<1x7xi32>
    %19 = call @take_along_axis(%16, %18) : (tensor<5x4xf32>, tensor<1x7xi32>) -> tensor<5x7xf32>
    %20 = stablehlo.slice %arg0 [0:1, 0:5, 0:4] : (tensor<3x5x4xf32>) -> tensor<1x5x4xf32>
    %21 = stablehlo.reshape %20 : (tensor<1x5x4xf32>) -> tensor<5x4xf32>
    %22 = stablehlo.slice %arg1 [0:5] : (tensor<7xi32>) -> tensor<5xi32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %23 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %24 = stablehlo.compare LT, %22, %23, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_5 = stablehlo.constant dense<4> : tensor<i32>
    %25 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %26 = stablehlo.add %22, %25 : tensor<5xi32>
    %27 = stablehlo.select %24, %26, %22 : tensor<5xi1>, tensor<5xi32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %29 = "stablehlo.gather"(%21, %28) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 1>}> : (tensor<5x4xf32>, tensor<5x1xi32>) -> tensor<5x1xf32>
    %30 = stablehlo.reshape %29 : (tensor<5x1xf32>) -> tensor<5xf32>
    %31 = stablehlo.slice %arg1 [0:1] : (tensor<7xi32>) -> tensor<1xi32>
    %32 = stablehlo.reshape %31 : (tensor<1xi32>) -> tensor<i32>
    %33 = stablehlo.slice %arg1 [1:2] : (tensor<7xi32>) -> tensor<1xi32>
    %34 = stablehlo.reshape %33 : (tensor<1xi32>) -> tensor<i32>
    %35 = stablehlo.slice %arg1 [2:3] : (tensor<7xi32>) -> tensor<1xi32>
    %36 = stablehlo.reshape %35 : (tensor<1xi32>) -> tensor<i32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %37 = stablehlo.compare LT, %32, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_7 = stablehlo.constant dense<3> : tensor<i32>
    %38 = stablehlo.add %32, %c_7 : tensor<i32>
    %39 = stablehlo.select %37, %38, %32 : tensor<i1>, tensor<i32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %40 = stablehlo.compare LT, %34, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_9 = stablehlo.constant dense<5> : tensor<i32>
    %41 = stablehlo.add %34, %c_9 : tensor<i32>
    %42 = stablehlo.select %40, %41, %34 : tensor<i1>, tensor<i32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %43 = stablehlo.compare LT, %36, %c_10, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_11 = stablehlo.constant dense<4> : tensor<i32>
    %44 = stablehlo.add %36, %c_11 : tensor<i32>
    %45 = stablehlo.select %43, %44, %36 : tensor<i1>, tensor<i32>
    %46 = stablehlo.dynamic_slice %arg0, %39, %42, %45, sizes = [2, 3, 2] : (tensor<3x5x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x3x2xf32>
    %47 = stablehlo.compare NE, %0, %0, FLOAT : (tensor<3x7x4xf32>, tensor<3x7x4xf32>) -> tensor<3x7x4xi1>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %48 = call @_where_5(%47, %c_12, %0) : (tensor<3x7x4xi1>, tensor<i32>, tensor<3x7x4xf32>) -> tensor<3x7x4xf32>
    %49 = stablehlo.iota dim = 0 : tensor<84xf32>
    %50 = stablehlo.reshape %49 : (tensor<84xf32>) -> tensor<3x7x4xf32>
    %51 = stablehlo.cosine %50 : tensor<3x7x4xf32>
    %52 = stablehlo.multiply %48, %51 : tensor<3x7x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %53 = stablehlo.reduce(%52 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<3x7x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %54 = stablehlo.add %cst_13, %53 : tensor<f32>
    %55 = stablehlo.compare NE, %1, %1, FLOAT : (tensor<3x7x4xf32>, tensor<3x7x4xf32>) -> tensor<3x7x4xi1>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %56 = call @_where_5(%55, %c_14, %1) : (tensor<3x7x4xi1>, tensor<i32>, tensor<3x7x4xf32>) -> tensor<3x7x4xf32>
    %57 = stablehlo.iota dim = 0 : tensor<84xf32>
    %58 = stablehlo.reshape %57 : (tensor<84xf32>) -> tensor<3x7x4xf32>
    %59 = stablehlo.cosine %58 : tensor<3x7x4xf32>
    %60 = stablehlo.multiply %56, %59 : tensor<3x7x4xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %61 = stablehlo.reduce(%60 init: %cst_15) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<3x7x4xf32>, tensor<f32>) -> tensor<f32>
    %62 = stablehlo.add %54, %61 : tensor<f32>
    %63 = stablehlo.compare NE, %2, %2, FLOAT : (tensor<3x7x4xf32>, tensor<3x7x4xf32>) -> tensor<3x7x4xi1>
    %c_16 = stablehlo.constant dense<0> : tensor<i32>
    %64 = call @_where_5(%63, %c_16, %2) : (tensor<3x7x4xi1>, tensor<i32>, tensor<3x7x4xf32>) -> tensor<3x7x4xf32>
    %65 = stablehlo.iota dim = 0 : tensor<84xf32>
    %66 = stablehlo.reshape %65 : (tensor<84xf32>) -> tensor<3x7x4xf32>
    %67 = stablehlo.cosine %66 : tensor<3x7x4xf32>
    %68 = stablehlo.multiply %64, %67 : tensor<3x7x4xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %69 = stablehlo.reduce(%68 init: %cst_17) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<3x7x4xf32>, tensor<f32>) -> tensor<f32>
    %70 = stablehlo.add %62, %69 : tensor<f32>
    %71 = stablehlo.compare NE, %14, %14, FLOAT : (tensor<7x5xf32>, tensor<7x5xf32>) -> tensor<7x5xi1>
    %c_18 = stablehlo.constant dense<0> : tensor<i32>
    %72 = call @_where_6(%71, %c_18, %14) : (tensor<7x5xi1>, tensor<i32>, tensor<7x5xf32>) -> tensor<7x5xf32>
    %73 = stablehlo.iota dim = 0 : tensor<35xf32>
    %74 = stablehlo.reshape %73 : (tensor<35xf32>) -> tensor<7x5xf32>
    %75 = stablehlo.cosine %74 : tensor<7x5xf32>
    %76 = stablehlo.multiply %72, %75 : tensor<7x5xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %77 = stablehlo.reduce(%76 init: %cst_19) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x5xf32>, tensor<f32>) -> tensor<f32>
    %78 = stablehlo.add %70, %77 : tensor<f32>
    %79 = stablehlo.compare NE, %19, %19, FLOAT : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xi1>
    %c_20 = stablehlo.constant dense<0> : tensor<i32>
    %80 = call @_where_7(%79, %c_20, %19) : (tensor<5x7xi1>, tensor<i32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %81 = stablehlo.iota dim = 0 : tensor<35xf32>
    %82 = stablehlo.reshape %81 : (tensor<35xf32>) -> tensor<5x7xf32>
    %83 = stablehlo.cosine %82 : tensor<5x7xf32>
    %84 = stablehlo.multiply %80, %83 : tensor<5x7xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %85 = stablehlo.reduce(%84 init: %cst_21) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x7xf32>, tensor<f32>) -> tensor<f32>
    %86 = stablehlo.add %78, %85 : tensor<f32>
    %87 = stablehlo.compare NE, %30, %30, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
    %c_22 = stablehlo.constant dense<0> : tensor<i32>
    %88 = call @_where_8(%87, %c_22, %30) : (tensor<5xi1>, tensor<i32>, tensor<5xf32>) -> tensor<5xf32>
    %89 = stablehlo.iota dim = 0 : tensor<5xf32>
    %90 = stablehlo.cosine %89 : tensor<5xf32>
    %91 = stablehlo.multiply %88, %90 : tensor<5xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %92 = stablehlo.reduce(%91 init: %cst_23) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
    %93 = stablehlo.add %86, %92 : tensor<f32>
    %94 = stablehlo.compare NE, %46, %46, FLOAT : (tensor<2x3x2xf32>, tensor<2x3x2xf32>) -> tensor<2x3x2xi1>
    %c_24 = stablehlo.constant dense<0> : tensor<i32>
    %95 = call @_where_9(%94, %c_24, %46) : (tensor<2x3x2xi1>, tensor<i32>, tensor<2x3x2xf32>) -> tensor<2x3x2xf32>
    %96 = stablehlo.iota dim = 0 : tensor<12xf32>
    %97 = stablehlo.reshape %96 : (tensor<12xf32>) -> tensor<2x3x2xf32>
    %98 = stablehlo.cosine %97 : tensor<2x3x2xf32>
    %99 = stablehlo.multiply %95, %98 : tensor<2x3x2xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %100 = stablehlo.reduce(%99 init: %cst_25) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x3x2xf32>, tensor<f32>) -> tensor<f32>
    %101 = stablehlo.add %93, %100 : tensor<f32>
    return %101 : tensor<f32>
  }
  func.func private @_take(%arg0: tensor<3x5x4xf32>, %arg1: tensor<7xi32>) -> tensor<3x7x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<7xi32>) -> tensor<7x1xi32>
    %1 = "stablehlo.gather"(%arg0, %0) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 3, 1, 4>}> : (tensor<3x5x4xf32>, tensor<7x1xi32>) -> tensor<3x7x4xf32>
    return %1 : tensor<3x7x4xf32>
  }
  func.func private @_take_0(%arg0: tensor<3x5x4xf32>, %arg1: tensor<7xi32>) -> tensor<3x7x4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_0 = stablehlo.constant dense<5> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<7xi32>
    %4 = call @_where(%1, %3, %arg1) : (tensor<7xi1>, tensor<7xi32>, tensor<7xi32>) -> tensor<7xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<7xi32>) -> tensor<7x1xi32>
    %c_1 = stablehlo.constant dense<4> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<7x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<7x1xi32>, tensor<7x1xi32>) -> tensor<7x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [1] : (tensor<1xi32>) -> tensor<1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x1xi32>) -> tensor<7x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<7x1xi32>, tensor<7x1xi32>) -> tensor<7x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<7x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [1] : (tensor<7x1xi1>, tensor<i1>) -> tensor<7xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 3, 1, 4>}> : (tensor<3x5x4xf32>, tensor<7x1xi32>) -> tensor<3x7x4xf32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [1] : (tensor<7xi1>) -> tensor<3x7x4xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x7x4xf32>
    %16 = stablehlo.select %14, %13, %15 : tensor<3x7x4xi1>, tensor<3x7x4xf32>
    return %16 : tensor<3x7x4xf32>
  }
  func.func private @_where(%arg0: tensor<7xi1>, %arg1: tensor<7xi32>, %arg2: tensor<7xi32>) -> tensor<7xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<7xi1>, tensor<7xi32>
    return %0 : tensor<7xi32>
  }
  func.func private @_take_1(%arg0: tensor<3x5x4xf32>, %arg1: tensor<7xi32>) -> tensor<3x7x4xf32> {
    %c = stablehlo.constant dense<5> : tensor<i32>
    %0 = call @remainder(%arg1, %c) : (tensor<7xi32>, tensor<i32>) -> tensor<7xi32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<7xi32>) -> tensor<7x1xi32>
    %2 = "stablehlo.gather"(%arg0, %1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 3, 1, 4>}> : (tensor<3x5x4xf32>, tensor<7x1xi32>) -> tensor<3x7x4xf32>
    return %2 : tensor<3x7x4xf32>
  }
  func.func private @remainder(%arg0: tensor<7xi32>, %arg1: tensor<i32>) -> tensor<7xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare EQ, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1 = call @_where_2(%0, %c_0, %arg1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %3 = stablehlo.remainder %arg0, %2 : tensor<7xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %5 = stablehlo.compare NE, %3, %4, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %7 = stablehlo.compare LT, %3, %6, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.compare LT, %1, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<i1>) -> tensor<7xi1>
    %10 = stablehlo.compare NE, %7, %9, UNSIGNED : (tensor<7xi1>, tensor<7xi1>) -> tensor<7xi1>
    %11 = stablehlo.and %10, %5 : tensor<7xi1>
    %12 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %13 = stablehlo.add %3, %12 : tensor<7xi32>
    %14 = stablehlo.select %11, %13, %3 : tensor<7xi1>, tensor<7xi32>
    return %14 : tensor<7xi32>
  }
  func.func private @_where_2(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @remainder_3(%arg0: tensor<7xi32>, %arg1: tensor<i32>) -> tensor<7xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where_2(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<7xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<7xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<7xi1>, tensor<7xi1>) -> tensor<7xi1>
    %12 = stablehlo.and %11, %6 : tensor<7xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %14 = stablehlo.add %4, %13 : tensor<7xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<7xi1>, tensor<7xi32>
    return %15 : tensor<7xi32>
  }
  func.func private @remainder_4(%arg0: tensor<1x7xi32>, %arg1: tensor<i32>) -> tensor<1x7xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where_2(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<1x7xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<1x7xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<1x7xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<1x7xi32>, tensor<1x7xi32>) -> tensor<1x7xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<1x7xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<1x7xi32>, tensor<1x7xi32>) -> tensor<1x7xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<1x7xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<1x7xi1>, tensor<1x7xi1>) -> tensor<1x7xi1>
    %12 = stablehlo.and %11, %6 : tensor<1x7xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<1x7xi32>
    %14 = stablehlo.add %4, %13 : tensor<1x7xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<1x7xi1>, tensor<1x7xi32>
    return %15 : tensor<1x7xi32>
  }
  func.func private @take_along_axis(%arg0: tensor<5x4xf32>, %arg1: tensor<1x7xi32>) -> tensor<5x7xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<1x7xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<1x7xi32>, tensor<1x7xi32>) -> tensor<1x7xi1>
    %c_0 = stablehlo.constant dense<4> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<1x7xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<1x7xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<1x7xi1>, tensor<1x7xi32>
    %5 = stablehlo.reshape %4 : (tensor<1x7xi32>) -> tensor<7x1xi32>
    %c_1 = stablehlo.constant dense<3> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<7x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<7x1xi32>, tensor<7x1xi32>) -> tensor<7x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [1] : (tensor<1xi32>) -> tensor<1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x1xi32>) -> tensor<7x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<7x1xi32>, tensor<7x1xi32>) -> tensor<7x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<7x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [1] : (tensor<7x1xi1>, tensor<i1>) -> tensor<7xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 5, 1>}> : (tensor<5x4xf32>, tensor<7x1xi32>) -> tensor<5x7xf32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [1] : (tensor<7xi1>) -> tensor<5x7xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5x7xf32>
    %16 = stablehlo.select %14, %13, %15 : tensor<5x7xi1>, tensor<5x7xf32>
    return %16 : tensor<5x7xf32>
  }
  func.func private @_where_5(%arg0: tensor<3x7x4xi1>, %arg1: tensor<i32>, %arg2: tensor<3x7x4xf32>) -> tensor<3x7x4xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3x7x4xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<3x7x4xi1>, tensor<3x7x4xf32>
    return %2 : tensor<3x7x4xf32>
  }
  func.func private @_where_6(%arg0: tensor<7x5xi1>, %arg1: tensor<i32>, %arg2: tensor<7x5xf32>) -> tensor<7x5xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<7x5xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<7x5xi1>, tensor<7x5xf32>
    return %2 : tensor<7x5xf32>
  }
  func.func private @_where_7(%arg0: tensor<5x7xi1>, %arg1: tensor<i32>, %arg2: tensor<5x7xf32>) -> tensor<5x7xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<5x7xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<5x7xi1>, tensor<5x7xf32>
    return %2 : tensor<5x7xf32>
  }
  func.func private @_where_8(%arg0: tensor<5xi1>, %arg1: tensor<i32>, %arg2: tensor<5xf32>) -> tensor<5xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<5xi1>, tensor<5xf32>
    return %2 : tensor<5xf32>
  }
  func.func private @_where_9(%arg0: tensor<2x3x2xi1>, %arg1: tensor<i32>, %arg2: tensor<2x3x2xf32>) -> tensor<2x3x2xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x3x2xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<2x3x2xi1>, tensor<2x3x2xf32>
    return %2 : tensor<2x3x2xf32>
  }
}
