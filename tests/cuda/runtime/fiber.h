// A fiber: a stack of its own on which threads run until one of them has to wait.
#pragma once
#include <setjmp.h>
#include <ucontext.h>

#include <vector>

namespace sim {

struct Fiber {
  ucontext_t context;
  jmp_buf jump;
  bool begun = false;
  std::vector<char> stack = std::vector<char>(128 << 10);
};

inline Fiber* running = nullptr;
inline std::vector<Fiber*> idle;  // fibers to use again

#ifdef __SANITIZE_ADDRESS__  // AddressSanitizer follows swapcontext, but no jump between stacks
inline ucontext_t scheduler;
inline void leave() { swapcontext(&running->context, &scheduler); }
inline void enter(Fiber* fiber) {
  running = fiber;
  swapcontext(&scheduler, &fiber->context);
}
#else  // a jump saves the system call that swapcontext makes
inline jmp_buf scheduler;
inline void leave() {
  if (!_setjmp(running->jump)) _longjmp(scheduler, 1);
}
inline void enter(Fiber* fiber) {
  running = fiber;
  if (_setjmp(scheduler)) return;
  if (fiber->begun) _longjmp(fiber->jump, 1);
  fiber->begun = true;
  setcontext(&fiber->context);
}
#endif

inline Fiber* fresh_fiber(void (*body)()) {
  if (idle.empty()) idle.push_back(new Fiber);
  Fiber* fiber = idle.back();
  idle.pop_back();
  fiber->begun = false;
  getcontext(&fiber->context);
  fiber->context.uc_stack.ss_sp = fiber->stack.data();
  fiber->context.uc_stack.ss_size = fiber->stack.size();
  fiber->context.uc_link = nullptr;
  makecontext(&fiber->context, body, 0);
  return fiber;
}

}  // namespace sim
