// CUDA errors as exceptions, and device memory that frees itself.
#pragma once
#include <cuda_runtime.h>

#include <stdexcept>
#include <string>
#include <vector>

inline void check_cuda(cudaError_t status, const char* what) {
    if (status != cudaSuccess) {
        throw std::runtime_error(std::string("CUDA: ") + what + ": " + cudaGetErrorString(status));
    }
}

// What CUDA calls the device.
inline std::string cuda_device_name() {
    cudaDeviceProp properties;
    check_cuda(cudaGetDeviceProperties(&properties, 0), "device");
    return properties.name;
}

// An array on the device; a null pointer when it is empty.
template <class T>
class DeviceArray {
  public:
    explicit DeviceArray(size_t size) : size_(size) {
        if (size > 0) {
            check_cuda(cudaMalloc(&data_, size * sizeof(T)), "device memory");
        }
    }
    explicit DeviceArray(const std::vector<T>& host) : DeviceArray(host.size()) {
        if (size_ > 0) {
            check_cuda(cudaMemcpy(data_, host.data(), size_ * sizeof(T), cudaMemcpyHostToDevice), "copy to the device");
        }
    }
    ~DeviceArray() { cudaFree(data_); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;

    T* data() const { return data_; }

    std::vector<T> to_host() const {
        std::vector<T> host(size_);
        check_cuda(cudaMemcpy(host.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost), "copy to the host");
        return host;
    }

    // Overwrites the array with a pattern, so that results left by an earlier method cannot pass for new ones.
    void poison() const {
        if (size_ > 0) {
            check_cuda(cudaMemset(data_, 0xA5, size_ * sizeof(T)), "poison");
        }
    }

  private:
    T* data_ = nullptr;
    size_t size_;
};
