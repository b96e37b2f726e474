#include "core/export/tables/arrow_rows.h"

#include <nanoarrow/nanoarrow.hpp>
#include <utility>
#include <vector>

namespace lanescope {

namespace {

Error no_memory_for_rows() {
    return {ErrorCode::unsupported, Error::no_offset, "There is not enough memory for the rows"};
}

struct KeptArrays {
    nanoarrow::UniqueSchema schema;
    std::vector<nanoarrow::UniqueArray> arrays;
};
using KeptArraysPtr = std::shared_ptr<const KeptArrays>;

void drop_owner(ArrowBufferAllocator* allocator, uint8_t*, int64_t) {
    delete static_cast<KeptArraysPtr*>(allocator->private_data);
}

// Lets `to` use the memory of `from`, which `owner` keeps.
void share_buffer(const KeptArraysPtr& owner, const ArrowBuffer& from, ArrowBuffer& to) {
    if (!from.data) return;
    to.data = from.data;
    to.size_bytes = from.size_bytes;
    to.capacity_bytes = from.size_bytes;
    to.allocator = ArrowBufferDeallocator(drop_owner, new KeptArraysPtr(owner));
}

// `to` was made for the schema of `from`.
void share_array(const KeptArraysPtr& owner, ArrowArray* from, ArrowArray* to) {
    to->length = from->length;
    to->null_count = from->null_count;
    to->offset = from->offset;
    for (int64_t i = 0; i < from->n_buffers; ++i)
        share_buffer(owner, *ArrowArrayBuffer(from, i), *ArrowArrayBuffer(to, i));
    for (int64_t i = 0; i < from->n_children; ++i)
        share_array(owner, from->children[i], to->children[i]);
    if (from->dictionary) share_array(owner, from->dictionary, to->dictionary);
}

class KeptRows final : public ArrowRows {
  public:
    explicit KeptRows(KeptArraysPtr kept) : kept_(std::move(kept)) {}

    int64_t row_count() const override {
        int64_t rows = 0;
        for (const nanoarrow::UniqueArray& array : kept_->arrays) rows += array->length;
        return rows;
    }

    Result<void> share(ArrowArrayStream* stream) const override {
        nanoarrow::UniqueSchema schema;
        if (ArrowSchemaDeepCopy(kept_->schema.get(), schema.get())) return no_memory_for_rows();
        std::vector<nanoarrow::UniqueArray> arrays(kept_->arrays.size());
        for (std::size_t i = 0; i < arrays.size(); ++i) {
            auto* const from = const_cast<ArrowArray*>(kept_->arrays[i].get());
            if (ArrowArrayInitFromSchema(arrays[i].get(), schema.get(), nullptr))
                return no_memory_for_rows();
            share_array(kept_, from, arrays[i].get());
            // Sets the pointers by which readers find the buffers.
            if (ArrowArrayFinishBuilding(arrays[i].get(), NANOARROW_VALIDATION_LEVEL_NONE, nullptr))
                return no_memory_for_rows();
        }
        nanoarrow::UniqueArrayStream made;
        if (ArrowBasicArrayStreamInit(made.get(), schema.get(),
                                      static_cast<int64_t>(arrays.size())))
            return no_memory_for_rows();
        for (std::size_t i = 0; i < arrays.size(); ++i)
            ArrowBasicArrayStreamSetArray(made.get(), static_cast<int64_t>(i), arrays[i].get());
        made.move(stream);
        return {};
    }

  private:
    KeptArraysPtr kept_;
};

}  // namespace

Result<std::shared_ptr<const ArrowRows>> ArrowRows::keep(ArrowArrayStream* stream) {
    nanoarrow::UniqueArrayStream taken(stream);
    auto kept = std::make_shared<KeptArrays>();
    if (taken->get_schema(taken.get(), kept->schema.get())) return no_memory_for_rows();
    while (true) {
        nanoarrow::UniqueArray array;
        if (taken->get_next(taken.get(), array.get())) return no_memory_for_rows();
        if (!array->release) break;
        kept->arrays.push_back(std::move(array));
    }
    std::shared_ptr<const ArrowRows> rows = std::make_shared<const KeptRows>(std::move(kept));
    return rows;
}

}  // namespace lanescope
