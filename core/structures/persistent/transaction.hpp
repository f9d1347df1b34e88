/// A transaction of libpmemobj that reports failures by its return value: no long jumps, which would leave out
/// destructors. Source: PMDK, libpmemobj_tx(7), pmemobj_tx_begin(3).
#pragma once
#include <libpmemobj.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace tierscope::structures {

/// Undone at the end of its scope unless commit() was called.
class Transaction {
 public:
  explicit Transaction(PMEMobjpool* pool) noexcept : works_(pmemobj_tx_begin(pool, nullptr, TX_PARAM_NONE) == 0) {}
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (pmemobj_tx_stage() == TX_STAGE_WORK) pmemobj_tx_abort(ECANCELED);
    static_cast<void>(pmemobj_tx_end());
  }

  /// Keeps what is there, for the case that it must be undone. Call it before each first store.
  template <class T>
  void keep(T& what) noexcept {
    keep(&what, sizeof(T));
  }
  void keep(const void* what, std::size_t size_bytes) noexcept {
    if (works_) works_ = pmemobj_tx_xadd_range_direct(what, size_bytes, POBJ_XADD_NO_ABORT) == 0;
  }
  /// Returns null, as after every failure, if there is no free space. commit() flushes what is stored there.
  [[nodiscard]] PMEMoid make(std::size_t size_bytes, std::uint64_t type, std::uint64_t flags = 0) noexcept {
    const auto made = works_ ? pmemobj_tx_xalloc(size_bytes, type, flags | POBJ_XALLOC_NO_ABORT) : OID_NULL;
    works_ = !OID_IS_NULL(made);
    return made;
  }
  void free(PMEMoid object) noexcept {
    if (works_) works_ = pmemobj_tx_xfree(object, POBJ_XFREE_NO_ABORT) == 0;
  }
  /// More room for what is kept, in an object of the pool: where the allocator has none left for it.
  void lend(void* room, std::size_t size_bytes) noexcept {
    if (works_) works_ = pmemobj_tx_log_append_buffer(TX_LOG_TYPE_SNAPSHOT, room, size_bytes) == 0;
  }
  /// Return whether all before it was done: without that, nothing may be stored any more.
  [[nodiscard]] bool works() const noexcept { return works_; }
  void commit() noexcept { pmemobj_tx_commit(); }

 private:
  bool works_;
};

}  // namespace tierscope::structures
