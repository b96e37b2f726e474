#include "core/export/tables/arrow_file.h"

#include <nanoarrow/nanoarrow_ipc.h>

#include <nanoarrow/nanoarrow.hpp>
#include <new>

#include "core/export/tables/arrow_stream.h"

namespace lanescope {

namespace {

constexpr std::size_t kRowsOfBatch = 1ULL << 16;

// Appends the file of a stream to `bytes`.
ArrowErrorCode write_stream(ArrowArrayStream* stream, ArrowBuffer* bytes) {
    ArrowIpcOutputStream output;
    NANOARROW_RETURN_NOT_OK(ArrowIpcOutputStreamInitBuffer(&output, bytes));
    ArrowIpcWriter writer;
    NANOARROW_RETURN_NOT_OK(ArrowIpcWriterInit(&writer, &output));
    ArrowErrorCode code = ArrowIpcWriterStartFile(&writer, nullptr);
    if (code == NANOARROW_OK) code = ArrowIpcWriterWriteArrayStream(&writer, stream, nullptr);
    if (code == NANOARROW_OK) code = ArrowIpcWriterFinalizeFile(&writer, nullptr);
    ArrowIpcWriterReset(&writer);
    return code;
}

}  // namespace

std::string write_arrow(const Table& table) {
    nanoarrow::UniqueArrayStream stream;
    // Texts of a batch must be below 2 GiB.
    for (std::size_t rows = kRowsOfBatch; rows > 0; rows /= 2)
        if (make_arrow_stream(table, {ArrowTexts::plain, rows}, stream.get())) break;
    nanoarrow::UniqueBuffer bytes;
    if (!stream->release || write_stream(stream.get(), bytes.get()) != NANOARROW_OK)
        throw std::bad_alloc();
    return {reinterpret_cast<const char*>(bytes->data),
            static_cast<std::size_t>(bytes->size_bytes)};
}

}  // namespace lanescope
