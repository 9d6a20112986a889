module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<11x8xf32>, %arg1: tensor<6x8xf32>, %arg2: tensor<8x24xf32>, %arg3: tensor<8x8xf32>, %arg4: tensor<8x16xf32>, %arg5: tensor<16x8xf32>, %arg6: tensor<6xi32>) -> (tensor<11x8xf32> {jax.result_info = "result[0]"}, tensor<6x8xf32> {jax.result_info = "result[1]"}, tensor<8x24xf32> {jax.result_info = "result[2]"}, tensor<8x8xf32> {jax.result_info = "result[3]"}, tensor<8x16xf32> {jax.result_info = "result[4]"}, tensor<16x8xf32> {jax.result_info = "result[5]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %1 = stablehlo.compare LT, %arg6, %0, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_0 = stablehlo.constant dense<11> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %3 = stablehlo.add %arg6, %2 : tensor<6xi32>
    %4 = stablehlo.select %1, %3, %arg6 : tensor<6xi1>, tensor<6xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<11x8xf32>, tensor<6x1xi32>) -> tensor<6x8xf32>
    %7 = stablehlo.add %6, %arg1 : tensor<6x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %cst_1 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %11 = stablehlo.divide %9, %10 : tensor<6x1xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x8xf32>
    %13 = stablehlo.subtract %7, %12 : tensor<6x8xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %14:4 = call @_var(%7, %c_2) : (tensor<6x8xf32>, tensor<i32>) -> (tensor<6x1xf32>, tensor<6x8xf32>, tensor<f32>, tensor<i1>)
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %16 = stablehlo.add %14#0, %15 : tensor<6x1xf32>
    %17 = stablehlo.rsqrt %16 : tensor<6x1xf32>
    %18 = stablehlo.divide %17, %16 : tensor<6x1xf32>
    %cst_4 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %20 = stablehlo.multiply %19, %18 : tensor<6x1xf32>
    %21 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x8xf32>
    %22 = stablehlo.multiply %13, %21 : tensor<6x8xf32>
    %23 = stablehlo.dot_general %22, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<8x24xf32>) -> tensor<6x24xf32>
    %24 = stablehlo.slice %23 [0:6, 0:8] : (tensor<6x24xf32>) -> tensor<6x8xf32>
    %25 = stablehlo.slice %23 [0:6, 8:16] : (tensor<6x24xf32>) -> tensor<6x8xf32>
    %26 = stablehlo.slice %23 [0:6, 16:24] : (tensor<6x24xf32>) -> tensor<6x8xf32>
    %27 = stablehlo.reshape %24 : (tensor<6x8xf32>) -> tensor<6x2x4xf32>
    %28 = stablehlo.transpose %27, dims = [1, 0, 2] : (tensor<6x2x4xf32>) -> tensor<2x6x4xf32>
    %29 = stablehlo.reshape %25 : (tensor<6x8xf32>) -> tensor<6x2x4xf32>
    %30 = stablehlo.transpose %29, dims = [1, 0, 2] : (tensor<6x2x4xf32>) -> tensor<2x6x4xf32>
    %31 = stablehlo.reshape %26 : (tensor<6x8xf32>) -> tensor<6x2x4xf32>
    %32 = stablehlo.transpose %31, dims = [1, 0, 2] : (tensor<6x2x4xf32>) -> tensor<2x6x4xf32>
    %33 = stablehlo.dot_general %28, %30, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x6xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x6x6xf32>
    %35 = stablehlo.divide %33, %34 : tensor<2x6x6xf32>
    %c_6 = stablehlo.constant dense<true> : tensor<i1>
    %36 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i1>) -> tensor<6x6xi1>
    %37 = call @tril(%36) : (tensor<6x6xi1>) -> tensor<6x6xi1>
    %cst_7 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %38:2 = call @_where_0(%37, %35, %cst_7) : (tensor<6x6xi1>, tensor<2x6x6xf32>, tensor<f32>) -> (tensor<2x6x6xf32>, tensor<2x6x6xi1>)
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %39 = stablehlo.reduce(%38#0 init: %cst_8) applies stablehlo.maximum across dimensions = [2] : (tensor<2x6x6xf32>, tensor<f32>) -> tensor<2x6xf32>
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %41 = stablehlo.maximum %40, %39 : tensor<2x6xf32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %43 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x6xf32>
    %44 = stablehlo.subtract %38#0, %43 : tensor<2x6x6xf32>
    %45 = stablehlo.exponential %44 : tensor<2x6x6xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %46 = stablehlo.reduce(%45 init: %cst_10) applies stablehlo.add across dimensions = [2] : (tensor<2x6x6xf32>, tensor<f32>) -> tensor<2x6xf32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x6xf32>
    %49 = stablehlo.divide %45, %48 : tensor<2x6x6xf32>
    %50 = stablehlo.multiply %47, %47 : tensor<2x6x1xf32>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %52 = stablehlo.divide %51, %50 : tensor<2x6x1xf32>
    %53 = stablehlo.dot_general %49, %32, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x6xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %54 = stablehlo.transpose %53, dims = [1, 0, 2] : (tensor<2x6x4xf32>) -> tensor<6x2x4xf32>
    %55 = stablehlo.reshape %54 : (tensor<6x2x4xf32>) -> tensor<6x8xf32>
    %56 = stablehlo.dot_general %55, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
    %57 = stablehlo.add %7, %56 : tensor<6x8xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %58 = stablehlo.reduce(%57 init: %cst_12) applies stablehlo.add across dimensions = [1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %cst_13 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %61 = stablehlo.divide %59, %60 : tensor<6x1xf32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x8xf32>
    %63 = stablehlo.subtract %57, %62 : tensor<6x8xf32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %64:4 = call @_var(%57, %c_14) : (tensor<6x8xf32>, tensor<i32>) -> (tensor<6x1xf32>, tensor<6x8xf32>, tensor<f32>, tensor<i1>)
    %cst_15 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %66 = stablehlo.add %64#0, %65 : tensor<6x1xf32>
    %67 = stablehlo.rsqrt %66 : tensor<6x1xf32>
    %68 = stablehlo.divide %67, %66 : tensor<6x1xf32>
    %cst_16 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %70 = stablehlo.multiply %69, %68 : tensor<6x1xf32>
    %71 = stablehlo.broadcast_in_dim %67, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x8xf32>
    %72 = stablehlo.multiply %63, %71 : tensor<6x8xf32>
    %73 = stablehlo.dot_general %72, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<8x16xf32>) -> tensor<6x16xf32>
    %74 = stablehlo.multiply %73, %73 : tensor<6x16xf32>
    %75 = stablehlo.multiply %74, %73 : tensor<6x16xf32>
    %76 = stablehlo.multiply %73, %73 : tensor<6x16xf32>
    %cst_17 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %78 = stablehlo.multiply %77, %76 : tensor<6x16xf32>
    %cst_18 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %80 = stablehlo.multiply %79, %75 : tensor<6x16xf32>
    %81 = stablehlo.add %73, %80 : tensor<6x16xf32>
    %cst_19 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %83 = stablehlo.multiply %82, %81 : tensor<6x16xf32>
    %84 = stablehlo.tanh %83 : tensor<6x16xf32>
    %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %86 = stablehlo.add %85, %84 : tensor<6x16xf32>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %88 = stablehlo.subtract %87, %84 : tensor<6x16xf32>
    %89 = stablehlo.multiply %86, %88 : tensor<6x16xf32>
    %cst_22 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %91 = stablehlo.add %90, %84 : tensor<6x16xf32>
    %cst_23 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %93 = stablehlo.multiply %92, %91 : tensor<6x16xf32>
    %94 = stablehlo.multiply %73, %93 : tensor<6x16xf32>
    %95 = stablehlo.dot_general %94, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x8xf32>) -> tensor<6x8xf32>
    %96 = stablehlo.add %57, %95 : tensor<6x8xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %97 = stablehlo.reduce(%96 init: %cst_24) applies stablehlo.add across dimensions = [1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>
    %98 = stablehlo.broadcast_in_dim %97, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %cst_25 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %100 = stablehlo.divide %98, %99 : tensor<6x1xf32>
    %101 = stablehlo.broadcast_in_dim %100, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x8xf32>
    %102 = stablehlo.subtract %96, %101 : tensor<6x8xf32>
    %c_26 = stablehlo.constant dense<0> : tensor<i32>
    %103:4 = call @_var(%96, %c_26) : (tensor<6x8xf32>, tensor<i32>) -> (tensor<6x1xf32>, tensor<6x8xf32>, tensor<f32>, tensor<i1>)
    %cst_27 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %104 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %105 = stablehlo.add %103#0, %104 : tensor<6x1xf32>
    %106 = stablehlo.rsqrt %105 : tensor<6x1xf32>
    %107 = stablehlo.divide %106, %105 : tensor<6x1xf32>
    %cst_28 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %108 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %109 = stablehlo.multiply %108, %107 : tensor<6x1xf32>
    %110 = stablehlo.broadcast_in_dim %106, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x8xf32>
    %111 = stablehlo.multiply %102, %110 : tensor<6x8xf32>
    %112 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<11x8xf32>) -> tensor<8x11xf32>
    %113 = stablehlo.dot_general %111, %112, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<8x11xf32>) -> tensor<6x11xf32>
    %114 = stablehlo.slice %113 [0:5, 0:11] : (tensor<6x11xf32>) -> tensor<5x11xf32>
    %115 = stablehlo.slice %arg6 [1:6] : (tensor<6xi32>) -> tensor<5xi32>
    %116:2 = call @log_softmax(%114) : (tensor<5x11xf32>) -> (tensor<5x11xf32>, tensor<5x1xf32>)
    %117 = stablehlo.broadcast_in_dim %115, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %118 = call @take_along_axis(%117) : (tensor<5x1xi32>) -> tensor<5x1x1xi32>
    %cst_29 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %119 = stablehlo.negate %cst_29 : tensor<f32>
    %cst_30 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
    %120 = stablehlo.divide %119, %cst_30 : tensor<f32>
    %121 = stablehlo.broadcast_in_dim %120, dims = [] : (tensor<f32>) -> tensor<5x1xf32>
    %122 = call @take_along_axis_1(%118, %121) : (tensor<5x1x1xi32>, tensor<5x1xf32>) -> tensor<5x11xf32>
    %123 = call @log_softmax_2(%116#0, %116#1, %122) : (tensor<5x11xf32>, tensor<5x1xf32>, tensor<5x11xf32>) -> tensor<5x11xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %124 = stablehlo.pad %123, %cst_31, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<5x11xf32>, tensor<f32>) -> tensor<6x11xf32>
    %125 = stablehlo.dot_general %124, %111, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11xf32>, tensor<6x8xf32>) -> tensor<11x8xf32>
    %126 = stablehlo.transpose %125, dims = [1, 0] : (tensor<11x8xf32>) -> tensor<8x11xf32>
    %127 = stablehlo.dot_general %124, %112, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x11xf32>, tensor<8x11xf32>) -> tensor<6x8xf32>
    %128 = stablehlo.transpose %126, dims = [1, 0] : (tensor<8x11xf32>) -> tensor<11x8xf32>
    %129 = stablehlo.multiply %102, %127 : tensor<6x8xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %130 = stablehlo.reduce(%129 init: %cst_32) applies stablehlo.add across dimensions = [1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>
    %131 = stablehlo.reshape %130 : (tensor<6xf32>) -> tensor<6x1xf32>
    %132 = stablehlo.broadcast_in_dim %106, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x8xf32>
    %133 = stablehlo.multiply %127, %132 : tensor<6x8xf32>
    %134 = stablehlo.multiply %131, %109 : tensor<6x1xf32>
    %135 = call @_var_3(%103#1, %103#2, %103#3, %134) : (tensor<6x8xf32>, tensor<f32>, tensor<i1>, tensor<6x1xf32>) -> tensor<6x8xf32>
    %136 = stablehlo.negate %133 : tensor<6x8xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %137 = stablehlo.reduce(%136 init: %cst_33) applies stablehlo.add across dimensions = [1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>
    %138 = stablehlo.reshape %137 : (tensor<6xf32>) -> tensor<6x1xf32>
    %139 = stablehlo.add %135, %133 : tensor<6x8xf32>
    %cst_34 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %140 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %141 = stablehlo.divide %138, %140 : tensor<6x1xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %142 = stablehlo.reduce(%141 init: %cst_35) applies stablehlo.add across dimensions = [1] : (tensor<6x1xf32>, tensor<f32>) -> tensor<6xf32>
    %143 = stablehlo.broadcast_in_dim %142, dims = [0] : (tensor<6xf32>) -> tensor<6x8xf32>
    %144 = stablehlo.add %139, %143 : tensor<6x8xf32>
    %145 = stablehlo.dot_general %144, %94, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<6x16xf32>) -> tensor<8x16xf32>
    %146 = stablehlo.transpose %145, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %147 = stablehlo.dot_general %144, %arg5, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<16x8xf32>) -> tensor<6x16xf32>
    %148 = stablehlo.multiply %73, %147 : tensor<6x16xf32>
    %149 = stablehlo.multiply %147, %93 : tensor<6x16xf32>
    %cst_36 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %150 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %151 = stablehlo.multiply %150, %148 : tensor<6x16xf32>
    %152 = stablehlo.multiply %151, %89 : tensor<6x16xf32>
    %cst_37 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %153 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %154 = stablehlo.multiply %153, %152 : tensor<6x16xf32>
    %155 = stablehlo.add %149, %154 : tensor<6x16xf32>
    %cst_38 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %157 = stablehlo.multiply %156, %154 : tensor<6x16xf32>
    %158 = stablehlo.multiply %157, %78 : tensor<6x16xf32>
    %159 = stablehlo.add %155, %158 : tensor<6x16xf32>
    %160 = stablehlo.dot_general %159, %72, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<6x8xf32>) -> tensor<16x8xf32>
    %161 = stablehlo.transpose %160, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %162 = stablehlo.dot_general %159, %arg4, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<8x16xf32>) -> tensor<6x8xf32>
    %163 = stablehlo.multiply %63, %162 : tensor<6x8xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %164 = stablehlo.reduce(%163 init: %cst_39) applies stablehlo.add across dimensions = [1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>
    %165 = stablehlo.reshape %164 : (tensor<6xf32>) -> tensor<6x1xf32>
    %166 = stablehlo.broadcast_in_dim %67, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x8xf32>
    %167 = stablehlo.multiply %162, %166 : tensor<6x8xf32>
    %168 = stablehlo.multiply %165, %70 : tensor<6x1xf32>
    %169 = call @_var_3(%64#1, %64#2, %64#3, %168) : (tensor<6x8xf32>, tensor<f32>, tensor<i1>, tensor<6x1xf32>) -> tensor<6x8xf32>
    %170 = stablehlo.add %144, %169 : tensor<6x8xf32>
    %171 = stablehlo.negate %167 : tensor<6x8xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %172 = stablehlo.reduce(%171 init: %cst_40) applies stablehlo.add across dimensions = [1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>
    %173 = stablehlo.reshape %172 : (tensor<6xf32>) -> tensor<6x1xf32>
    %174 = stablehlo.add %170, %167 : tensor<6x8xf32>
    %cst_41 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %175 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %176 = stablehlo.divide %173, %175 : tensor<6x1xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %177 = stablehlo.reduce(%176 init: %cst_42) applies stablehlo.add across dimensions = [1] : (tensor<6x1xf32>, tensor<f32>) -> tensor<6xf32>
    %178 = stablehlo.broadcast_in_dim %177, dims = [0] : (tensor<6xf32>) -> tensor<6x8xf32>
    %179 = stablehlo.add %174, %178 : tensor<6x8xf32>
    %180 = stablehlo.dot_general %179, %55, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<8x8xf32>
    %181 = stablehlo.transpose %180, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %182 = stablehlo.dot_general %179, %arg3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
    %183 = stablehlo.reshape %182 : (tensor<6x8xf32>) -> tensor<6x2x4xf32>
    %184 = stablehlo.transpose %183, dims = [1, 0, 2] : (tensor<6x2x4xf32>) -> tensor<2x6x4xf32>
    %185 = stablehlo.dot_general %184, %49, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x4xf32>, tensor<2x6x6xf32>) -> tensor<2x4x6xf32>
    %186 = stablehlo.transpose %185, dims = [0, 2, 1] : (tensor<2x4x6xf32>) -> tensor<2x6x4xf32>
    %187 = stablehlo.dot_general %184, %32, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x6xf32>
    %188 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x6xf32>
    %189 = stablehlo.multiply %187, %188 : tensor<2x6x6xf32>
    %190 = stablehlo.multiply %189, %45 : tensor<2x6x6xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %191 = stablehlo.reduce(%190 init: %cst_43) applies stablehlo.add across dimensions = [2] : (tensor<2x6x6xf32>, tensor<f32>) -> tensor<2x6xf32>
    %192 = stablehlo.reshape %191 : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %193 = stablehlo.negate %192 : tensor<2x6x1xf32>
    %194 = stablehlo.broadcast_in_dim %47, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x6xf32>
    %195 = stablehlo.divide %187, %194 : tensor<2x6x6xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %196 = stablehlo.reduce(%193 init: %cst_44) applies stablehlo.add across dimensions = [2] : (tensor<2x6x1xf32>, tensor<f32>) -> tensor<2x6xf32>
    %197 = stablehlo.broadcast_in_dim %196, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x6xf32>
    %198 = stablehlo.add %195, %197 : tensor<2x6x6xf32>
    %199 = stablehlo.multiply %198, %45 : tensor<2x6x6xf32>
    %200 = call @_where_5(%38#1, %199) : (tensor<2x6x6xi1>, tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
    %cst_45 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %201 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<2x6x6xf32>
    %202 = stablehlo.divide %200, %201 : tensor<2x6x6xf32>
    %203 = stablehlo.dot_general %202, %28, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x6xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %204 = stablehlo.dot_general %202, %30, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x6xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %205 = stablehlo.transpose %186, dims = [1, 0, 2] : (tensor<2x6x4xf32>) -> tensor<6x2x4xf32>
    %206 = stablehlo.reshape %205 : (tensor<6x2x4xf32>) -> tensor<6x8xf32>
    %207 = stablehlo.transpose %203, dims = [1, 0, 2] : (tensor<2x6x4xf32>) -> tensor<6x2x4xf32>
    %208 = stablehlo.reshape %207 : (tensor<6x2x4xf32>) -> tensor<6x8xf32>
    %209 = stablehlo.transpose %204, dims = [1, 0, 2] : (tensor<2x6x4xf32>) -> tensor<6x2x4xf32>
    %210 = stablehlo.reshape %209 : (tensor<6x2x4xf32>) -> tensor<6x8xf32>
    %211 = stablehlo.concatenate %210, %208, %206, dim = 1 : (tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x24xf32>
    %212 = stablehlo.dot_general %211, %22, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<6x8xf32>) -> tensor<24x8xf32>
    %213 = stablehlo.transpose %212, dims = [1, 0] : (tensor<24x8xf32>) -> tensor<8x24xf32>
    %214 = stablehlo.dot_general %211, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<8x24xf32>) -> tensor<6x8xf32>
    %215 = stablehlo.multiply %13, %214 : tensor<6x8xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %216 = stablehlo.reduce(%215 init: %cst_46) applies stablehlo.add across dimensions = [1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>
    %217 = stablehlo.reshape %216 : (tensor<6xf32>) -> tensor<6x1xf32>
    %218 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x8xf32>
    %219 = stablehlo.multiply %214, %218 : tensor<6x8xf32>
    %220 = stablehlo.multiply %217, %20 : tensor<6x1xf32>
    %221 = call @_var_3(%14#1, %14#2, %14#3, %220) : (tensor<6x8xf32>, tensor<f32>, tensor<i1>, tensor<6x1xf32>) -> tensor<6x8xf32>
    %222 = stablehlo.add %179, %221 : tensor<6x8xf32>
    %223 = stablehlo.negate %219 : tensor<6x8xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %224 = stablehlo.reduce(%223 init: %cst_47) applies stablehlo.add across dimensions = [1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>
    %225 = stablehlo.reshape %224 : (tensor<6xf32>) -> tensor<6x1xf32>
    %226 = stablehlo.add %222, %219 : tensor<6x8xf32>
    %cst_48 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %227 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %228 = stablehlo.divide %225, %227 : tensor<6x1xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %229 = stablehlo.reduce(%228 init: %cst_49) applies stablehlo.add across dimensions = [1] : (tensor<6x1xf32>, tensor<f32>) -> tensor<6xf32>
    %230 = stablehlo.broadcast_in_dim %229, dims = [0] : (tensor<6xf32>) -> tensor<6x8xf32>
    %231 = stablehlo.add %226, %230 : tensor<6x8xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %232 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %233 = "stablehlo.scatter"(%232, %5, %231) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %235 = stablehlo.add %arg7, %arg8 : tensor<f32>
      stablehlo.return %235 : tensor<f32>
    }) : (tensor<11x8xf32>, tensor<6x1xi32>, tensor<6x8xf32>) -> tensor<11x8xf32>
    %234 = stablehlo.add %128, %233 : tensor<11x8xf32>
    return %234, %231, %213, %181, %161, %146 : tensor<11x8xf32>, tensor<6x8xf32>, tensor<8x24xf32>, tensor<8x8xf32>, tensor<8x16xf32>, tensor<16x8xf32>
  }
  func.func private @_var(%arg0: tensor<6x8xf32>, %arg1: tensor<i32>) -> (tensor<6x1xf32>, tensor<6x8xf32>, tensor<f32>, tensor<i1>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %cst_0 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<6x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x8xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<6x8xf32>
    %6 = chlo.square %5 : tensor<6x8xf32> -> tensor<6x8xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<6x8xf32>
    %9 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %10 = stablehlo.subtract %cst_2, %9 : tensor<f32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%6 init: %cst_3) applies stablehlo.add across dimensions = [1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %13 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %14 = stablehlo.divide %12, %13 : tensor<6x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.compare GT, %10, %cst_4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_5 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %16 = call @_where(%15, %14, %cst_5) : (tensor<i1>, tensor<6x1xf32>, tensor<f32>) -> tensor<6x1xf32>
    return %16, %8, %10, %15 : tensor<6x1xf32>, tensor<6x8xf32>, tensor<f32>, tensor<i1>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<6x1xf32>, %arg2: tensor<f32>) -> tensor<6x1xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<6x1xf32>
    return %2 : tensor<6x1xf32>
  }
  func.func private @tril(%arg0: tensor<6x6xi1>) -> tensor<6x6xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<6x6xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x6xi32>
    %2 = stablehlo.add %0, %1 : tensor<6x6xi32>
    %3 = stablehlo.iota dim = 1 : tensor<6x6xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<6x6xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<6x6xi1>, tensor<6x6xi1>
    return %6 : tensor<6x6xi1>
  }
  func.func private @_where_0(%arg0: tensor<6x6xi1>, %arg1: tensor<2x6x6xf32>, %arg2: tensor<f32>) -> (tensor<2x6x6xf32>, tensor<2x6x6xi1>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<6x6xi1>) -> tensor<2x6x6xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x6x6xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x6x6xi1>, tensor<2x6x6xf32>
    return %3, %1 : tensor<2x6x6xf32>, tensor<2x6x6xi1>
  }
  func.func private @log_softmax(%arg0: tensor<5x11xf32>) -> (tensor<5x11xf32>, tensor<5x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<5x11xf32>, tensor<f32>) -> tensor<5xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<5xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x11xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<5x11xf32>
    %6 = stablehlo.exponential %5 : tensor<5x11xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<5x11xf32>, tensor<f32>) -> tensor<5xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    return %6, %8 : tensor<5x11xf32>, tensor<5x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<5x1xi32>) -> tensor<5x1x1xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<5x1xi32>
    %1 = stablehlo.compare LT, %arg0, %0, SIGNED : (tensor<5x1xi32>, tensor<5x1xi32>) -> tensor<5x1xi1>
    %c_0 = stablehlo.constant dense<11> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<5x1xi32>
    %3 = stablehlo.add %arg0, %2 : tensor<5x1xi32>
    %4 = stablehlo.select %1, %3, %arg0 : tensor<5x1xi1>, tensor<5x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<5x1xi32>) -> tensor<5x1x1xi32>
    return %5 : tensor<5x1x1xi32>
  }
  func.func private @take_along_axis_1(%arg0: tensor<5x1x1xi32>, %arg1: tensor<5x1xf32>) -> tensor<5x11xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5x11xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<5x11xf32>, tensor<5x1x1xi32>, tensor<5x1xf32>) -> tensor<5x11xf32>
    return %1 : tensor<5x11xf32>
  }
  func.func private @log_softmax_2(%arg0: tensor<5x11xf32>, %arg1: tensor<5x1xf32>, %arg2: tensor<5x11xf32>) -> tensor<5x11xf32> {
    %0 = stablehlo.negate %arg2 : tensor<5x11xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<5x11xf32>, tensor<f32>) -> tensor<5xf32>
    %2 = stablehlo.reshape %1 : (tensor<5xf32>) -> tensor<5x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<5x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<5x1xf32>, tensor<f32>) -> tensor<5xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<5xf32>) -> tensor<5x11xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<5x11xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<5x11xf32>
    return %7 : tensor<5x11xf32>
  }
  func.func private @_var_3(%arg0: tensor<6x8xf32>, %arg1: tensor<f32>, %arg2: tensor<i1>, %arg3: tensor<6x1xf32>) -> tensor<6x8xf32> {
    %0 = call @_where_4(%arg2, %arg3) : (tensor<i1>, tensor<6x1xf32>) -> tensor<6x1xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %2 = stablehlo.divide %0, %1 : tensor<6x1xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<6x1xf32>, tensor<f32>) -> tensor<6xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<6xf32>) -> tensor<6x8xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<6x8xf32>
    %6 = stablehlo.negate %5 : tensor<6x8xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>
    %8 = stablehlo.reshape %7 : (tensor<6xf32>) -> tensor<6x1xf32>
    %cst_1 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %10 = stablehlo.divide %8, %9 : tensor<6x1xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%10 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<6x1xf32>, tensor<f32>) -> tensor<6xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<6xf32>) -> tensor<6x8xf32>
    %13 = stablehlo.add %5, %12 : tensor<6x8xf32>
    return %13 : tensor<6x8xf32>
  }
  func.func private @_where_4(%arg0: tensor<i1>, %arg1: tensor<6x1xf32>) -> tensor<6x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<i1>, tensor<6x1xf32>
    return %1 : tensor<6x1xf32>
  }
  func.func private @_where_5(%arg0: tensor<2x6x6xi1>, %arg1: tensor<2x6x6xf32>) -> tensor<2x6x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x6x6xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<2x6x6xi1>, tensor<2x6x6xf32>
    return %1 : tensor<2x6x6xf32>
  }
}
